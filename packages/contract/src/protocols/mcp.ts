import { defineProtocolRoute } from './protocol-route.ts';

/**
 * Fields that all MCP routes share. Requests are not counted, because each message is counted in the rate category of
 * the tool that it calls.
 */
const shared = {
  path: '/svc/mcp',
  access: { accepts: [{ by: 'mcp-bearer' }] },
  errorFormat: 'mcp',
  uncounted: true,
} as const;

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
