import type { Route } from '../define-route.ts';
import { accessMatrixRoutes } from './access-matrix.ts';
import { apiKeyRoutes } from './api-keys.ts';
import { appRoutes } from './apps.ts';
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
import { passwordRoutes } from './passwords.ts';
import { profileRoutes } from './profile.ts';
import { sessionRoutes } from './sessions.ts';
import { signInRoutes } from './sign-in.ts';
import { signInListRoutes } from './sign-ins.ts';
import { streamRoutes } from './streams.ts';
import { teamRoutes } from './teams.ts';
import { userRoutes } from './users.ts';
import { webhookRoutes } from './webhooks.ts';

/** A heading of the OpenAPI document, by which generated clients name their modules. */
export interface RouteTag {
  readonly name: string;
  readonly description: string;
  readonly routes: Readonly<Record<string, Route>>;
}

/** Every route belongs to exactly one tag. */
export const ROUTE_TAGS: readonly RouteTag[] = [
  tag('Health', 'Liveness, readiness and metrics.', { ...healthRoutes, ...metricsRoutes }),
  tag('Sign-in', 'Dashboard sign-ins (specification 5.9).', { ...signInRoutes, ...signInListRoutes }),
  tag('Passwords', 'Change a password, or reset it by link (specification 5.9, 5.10).', passwordRoutes),
  tag('Tokens', 'The caller, bearer tokens and their public keys (specification 5.3).', {
    ...authRoutes,
    ...capabilityRoutes,
    ...forwardAuthRoutes,
  }),
  tag('Profile', "The caller's own access key and tokens (specification 2, 5.2).", profileRoutes),
  tag('API keys', 'Every key and token of the lab.', apiKeyRoutes),
  tag('Users', 'Accounts, for Admins.', userRoutes),
  tag('Teams', 'Teams and their members.', teamRoutes),
  tag('Devices', 'Devices the caller may see.', deviceRoutes),
  tag('Control', 'Previews of a device, and input sent to it outside its test.', {
    ...controlRoutes,
    ...streamRoutes,
  }),
  tag('Leases', 'Devices reserved for a person or a job.', leaseRoutes),
  tag('Sessions', 'Driver sessions and their command log.', sessionRoutes),
  tag('Apps', 'The app library.', appRoutes),
  tag('Events', 'Live events and the event log (specification 6).', eventRoutes),
  tag('Webhooks', 'Addresses that events are sent to.', webhookRoutes),
  tag('Settings', 'Settings of the running server.', configRoutes),
  tag('Audit', 'The audit trail.', auditRoutes),
  tag('Access', 'What the command check refused, and what every route requires.', {
    ...commandAuthRoutes,
    ...accessMatrixRoutes,
  }),
  tag('Nodes', 'Servers whose devices this server offers, and further entrances.', {
    ...nodeRoutes,
    ...entranceRoutes,
  }),
];

function tag(name: string, description: string, routes: RouteTag['routes']): RouteTag {
  return { name, description, routes };
}
