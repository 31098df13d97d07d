import { defineRoomRoute, ROOM_CHECKS } from './room-route.ts';

/** The MCP server checks its bearers itself, because it answers them with challenges (RFC 6750). */
const shared = { path: '/svc/mcp', access: ROOM_CHECKS, withoutPublicUrl: true } as const;

/** Routes of the MCP server (contract 12). It is stateless, so only POST does something. */
export const mcpRoutes = {
  mcp: defineRoomRoute({
    ...shared,
    method: 'POST',
    summary: 'A message of an agent (MCP, Streamable HTTP)',
  }),
  mcpStream: defineRoomRoute({ ...shared, method: 'GET', summary: 'Refused with 405: there are no streams' }),
  mcpEnd: defineRoomRoute({
    ...shared,
    method: 'DELETE',
    summary: 'Refused with 405: there are no sessions',
  }),
};
