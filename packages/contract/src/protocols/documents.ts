import { PUBLIC } from '../access.ts';
import { WELL_KNOWN } from '../names.ts';
import { defineProtocolRoute } from './protocol-route.ts';

/**
 * Routes of the documents from which OAuth clients read the addresses and abilities of this server (RFC 8414, RFC
 * 9728).
 */
export const documentRoutes = {
  authorizationServer: defineProtocolRoute({
    method: 'GET',
    path: WELL_KNOWN.authorizationServer,
    errorFormat: 'api',
    access: PUBLIC,
    needsPublicUrl: true,
    crossOrigin: true,
    summary: 'Metadata of the authorization server (RFC 8414)',
  }),
  apiResource: defineProtocolRoute({
    method: 'GET',
    path: WELL_KNOWN.apiResource,
    errorFormat: 'api',
    access: PUBLIC,
    needsPublicUrl: true,
    crossOrigin: true,
    summary: 'Metadata of the API as a protected resource (RFC 9728)',
  }),
  mcpResource: defineProtocolRoute({
    method: 'GET',
    path: WELL_KNOWN.mcpResource,
    errorFormat: 'api',
    access: PUBLIC,
    needsPublicUrl: true,
    crossOrigin: true,
    summary: 'Metadata of the MCP server as a protected resource (RFC 9728)',
  }),
};
