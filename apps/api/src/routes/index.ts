/**
 * Routes of every server that no module serves, because their handlers need Fastify: they set a cookie, open a
 * WebSocket, send or receive a stream, or set another status. Each feature has a file of the same name in the contract
 * package. `app.ts` registers them after the handlers of the modules.
 */

export { accessMatrixRoutes } from './access-matrix.ts';
export { capabilityRoutes } from './capabilities.ts';
export { entranceRoutes } from './entrances.ts';
export { healthRoutes } from './health.ts';
export { metricsRoutes } from './metrics.ts';
export { oidcRoutes } from './oidc.ts';
export { passkeyRoutes } from './passkeys.ts';
export { signInRoutes } from './sign-in.ts';
export { signInListRoutes } from './sign-ins.ts';
