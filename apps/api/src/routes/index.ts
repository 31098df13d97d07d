/**
 * Routes that no module serves, because their handlers need Fastify: they set a cookie, open a WebSocket, send or receive
 * a stream, or set another status. `app.ts` registers them after the handlers of the modules.
 */

import { accessMatrixRoutes } from './access-matrix.ts';
import { appRoutes } from './apps.ts';
import { capabilityRoutes } from './capabilities.ts';
import { entranceRoutes } from './entrances.ts';
import { eventRoutes } from './events.ts';
import { forwardAuthRoutes } from './forward-auth.ts';
import { healthRoutes } from './health.ts';
import { metricsRoutes } from './metrics.ts';
import { oidcRoutes } from './oidc.ts';
import { passkeyRoutes } from './passkeys.ts';
import { remoteAdbRoutes } from './remote-adb.ts';
import { signInRoutes } from './sign-in.ts';
import { signInListRoutes } from './sign-ins.ts';
import { spectatorRoutes } from './spectators.ts';
import { streamRoutes } from './streams.ts';

/** Routes of every server. */
export const ACCOUNT_ROUTES = [
  accessMatrixRoutes,
  capabilityRoutes,
  entranceRoutes,
  healthRoutes,
  metricsRoutes,
  oidcRoutes,
  passkeyRoutes,
  signInRoutes,
  signInListRoutes,
];

/** Routes of servers with phones. */
export const LAB_ROUTES = [
  appRoutes,
  eventRoutes,
  forwardAuthRoutes,
  remoteAdbRoutes,
  spectatorRoutes,
  streamRoutes,
];
