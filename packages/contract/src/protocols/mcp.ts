import { defineProtocolRoute, PROTOCOL_CHECKS } from './protocol-route.ts';

/**
 * Fields that all MCP routes share. The MCP server checks bearer tokens itself instead of using the common check,
 * because its refusals must contain a `WWW-Authenticate` challenge (RFC 6750).
 */
const shared = { path: '/svc/mcp', access: PROTOCOL_CHECKS, withoutPublicUrl: true } as const;

/**
 * Routes of the MCP server (contract 12). The server keeps no MCP sessions, so it refuses GET (open a stream) and
 * DELETE (end a session) with 405.
 */
export const mcpRoutes = {
  mcp: defineProtocolRoute({
    ...shared,
    method: 'POST',
    summary: 'A message of an agent (MCP, Streamable HTTP)',
  }),
  mcpStream: defineProtocolRoute({
    ...shared,
    method: 'GET',
    summary: 'Refused with 405: there are no streams',
  }),
  mcpEnd: defineProtocolRoute({
    ...shared,
    method: 'DELETE',
    summary: 'Refused with 405: there are no sessions',
  }),
};
