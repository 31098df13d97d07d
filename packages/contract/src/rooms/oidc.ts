import type { RoomRoute } from './room-route.ts';

/** Routes below `/svc/oidc`, which the OpenID provider of the company calls. */
export const oidcRoutes = {} satisfies Record<string, RoomRoute>;
