/**
 * Routes that no module serves: those whose handlers need Fastify, and those of phones and sessions. Each feature has a
 * file of the same name in the contract package. `app.ts` registers them after the handlers of the modules.
 */

export { accessMatrixRoutes } from './access-matrix.ts';
export { agentRoutes } from './agents.ts';
export { appRoutes } from './apps.ts';
export { attachRoutes } from './attach.ts';
export { capabilityRoutes } from './capabilities.ts';
export { commandAuthRoutes } from './command-auth.ts';
export { configRoutes } from './config.ts';
export { controlRoutes } from './control.ts';
export { deviceRoutes } from './devices.ts';
export { entranceRoutes } from './entrances.ts';
export { eventRoutes } from './events.ts';
export { forwardAuthRoutes } from './forward-auth.ts';
export { healthRoutes } from './health.ts';
export { leaseRoutes } from './leases.ts';
export { metricsRoutes } from './metrics.ts';
export { oidcRoutes } from './oidc.ts';
export { passkeyRoutes } from './passkeys.ts';
export { queueRoutes } from './queue.ts';
export { remoteAdbRoutes } from './remote-adb.ts';
export { sessionRoutes } from './sessions.ts';
export { signInRoutes } from './sign-in.ts';
export { signInListRoutes } from './sign-ins.ts';
export { spectatorRoutes } from './spectators.ts';
export { streamRoutes } from './streams.ts';
export { usageRoutes } from './usage.ts';
