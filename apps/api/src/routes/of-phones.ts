/** Routes of servers with phones that no module serves (see `index.ts`). */

export { appRoutes } from './apps.ts';
export { eventRoutes } from './events.ts';
export { forwardAuthRoutes } from './forward-auth.ts';
export { remoteAdbRoutes } from './remote-adb.ts';
export { spectatorRoutes } from './spectators.ts';
export { streamRoutes } from './streams.ts';
