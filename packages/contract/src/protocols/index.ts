import { documentRoutes } from './documents.ts';
import { mcpRoutes } from './mcp.ts';
import { oauthRoutes } from './oauth.ts';
import { oidcRoutes } from './oidc.ts';
import type { ProtocolRoute } from './protocol-route.ts';
import { scimRoutes } from './scim.ts';

export { OAUTH_ERROR_STATUS, type OAuthErrorCode } from './oauth-errors.ts';
export { defineProtocolRoute, type ProtocolRoute } from './protocol-route.ts';

/**
 * All routes of the protocols by name. These are the parts of the server outside `/svc/api`, which serve programs
 * (contract 10).
 */
export const protocolRoutes = {
  ...documentRoutes,
  ...oauthRoutes,
  ...oidcRoutes,
  ...scimRoutes,
  ...mcpRoutes,
} satisfies Record<string, ProtocolRoute>;
