import type { TaggedRoute } from '../feature.ts';
import { accessMatrixRoutes } from './access-matrix.ts';
import { agentRoutes } from './agents.ts';
import { apiKeyRoutes } from './api-keys.ts';
import { appRoutes } from './apps.ts';
import { attachRoutes } from './attach.ts';
import { auditRoutes } from './audit.ts';
import { authRoutes, capabilityRoutes } from './auth.ts';
import { commandAuthRoutes } from './command-auth.ts';
import { configRoutes } from './config.ts';
import { controlRoutes } from './control.ts';
import { deviceRoutes } from './devices.ts';
import { entranceRoutes } from './entrances.ts';
import { eventRoutes } from './events.ts';
import { forwardAuthRoutes } from './forward-auth.ts';
import { healthRoutes } from './health.ts';
import { leaseRoutes } from './leases.ts';
import { metricsRoutes } from './metrics.ts';
import { nodeRoutes } from './nodes.ts';
import { oidcRoutes } from './oidc.ts';
import { passkeyRoutes } from './passkeys.ts';
import { passwordRoutes } from './passwords.ts';
import { profileRoutes } from './profile.ts';
import { queueRoutes } from './queue.ts';
import { recordingRoutes } from './recordings.ts';
import { remoteAdbRoutes } from './remote-adb.ts';
import { sessionRoutes } from './sessions.ts';
import { signInRoutes } from './sign-in.ts';
import { signInListRoutes } from './sign-ins.ts';
import { spectatorRoutes } from './spectators.ts';
import { streamRoutes } from './streams.ts';
import { teamRoutes } from './teams.ts';
import { terminalSignInRoutes } from './terminal-sign-ins.ts';
import { trustRuleRoutes } from './trust-rules.ts';
import { usageRoutes } from './usage.ts';
import { userRoutes } from './users.ts';
import { webhookRoutes } from './webhooks.ts';

export type { Static } from './common.ts';

/**
 * All routes of the API by name. The operation ids in the OpenAPI document are derived from these names, and the
 * document lists the routes in this order.
 */
export const routes = {
  ...healthRoutes,
  ...metricsRoutes,
  ...signInRoutes,
  ...oidcRoutes,
  ...signInListRoutes,
  ...terminalSignInRoutes,
  ...passwordRoutes,
  ...passkeyRoutes,
  ...authRoutes,
  ...capabilityRoutes,
  ...forwardAuthRoutes,
  ...profileRoutes,
  ...apiKeyRoutes,
  ...trustRuleRoutes,
  ...userRoutes,
  ...teamRoutes,
  ...deviceRoutes,
  ...controlRoutes,
  ...streamRoutes,
  ...spectatorRoutes,
  ...remoteAdbRoutes,
  ...leaseRoutes,
  ...agentRoutes,
  ...queueRoutes,
  ...usageRoutes,
  ...sessionRoutes,
  ...attachRoutes,
  ...recordingRoutes,
  ...appRoutes,
  ...eventRoutes,
  ...webhookRoutes,
  ...configRoutes,
  ...auditRoutes,
  ...commandAuthRoutes,
  ...accessMatrixRoutes,
  ...nodeRoutes,
  ...entranceRoutes,
} satisfies Record<string, TaggedRoute>;
