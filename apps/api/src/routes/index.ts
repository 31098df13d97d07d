import type { App, HttpContext } from '../http-context.ts';
import { accessMatrixRoutes } from './access-matrix.ts';
import { apiKeyRoutes } from './api-keys.ts';
import { appRoutes } from './apps.ts';
import { auditRoutes } from './audit.ts';
import { authRoutes } from './auth.ts';
import { capabilityRoutes } from './capabilities.ts';
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

/** The handlers of every feature, one file each as in the contract. */
export const features: readonly ((api: App, context: HttpContext) => void)[] = [
  healthRoutes,
  signInRoutes,
  signInListRoutes,
  passwordRoutes,
  authRoutes,
  capabilityRoutes,
  profileRoutes,
  apiKeyRoutes,
  userRoutes,
  teamRoutes,
  deviceRoutes,
  leaseRoutes,
  controlRoutes,
  nodeRoutes,
  entranceRoutes,
  streamRoutes,
  sessionRoutes,
  appRoutes,
  commandAuthRoutes,
  metricsRoutes,
  forwardAuthRoutes,
  auditRoutes,
  configRoutes,
  eventRoutes,
  accessMatrixRoutes,
  webhookRoutes,
];
