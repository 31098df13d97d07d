import { documentRoutes } from './documents.ts';
import { mcpRoutes } from './mcp.ts';
import { oauthRoutes } from './oauth.ts';
import { oidcRoutes } from './oidc.ts';
import type { RoomRoute } from './room-route.ts';
import { scimRoutes } from './scim.ts';

export { OAUTH_ERROR_STATUS, type OAuthErrorCode } from './oauth-errors.ts';
export { defineRoomRoute, ROOM_CHECKS, type RoomRoute } from './room-route.ts';

/**
 * All routes of the rooms by name. Rooms are the parts of the server outside `/svc/api`, which serve programs (contract
 * 10).
 */
export const roomRoutes = {
  ...documentRoutes,
  ...oauthRoutes,
  ...oidcRoutes,
  ...scimRoutes,
  ...mcpRoutes,
} satisfies Record<string, RoomRoute>;
