import type { RoomRoute } from './room-route.ts';

/** Routes below `/svc/scim/v2`, which an identity provider calls (RFC 7644). */
export const scimRoutes = {} satisfies Record<string, RoomRoute>;
