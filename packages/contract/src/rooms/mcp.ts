import type { RoomRoute } from './room-route.ts';

/** Route of the MCP server (contract 12). */
export const mcpRoutes = {} satisfies Record<string, RoomRoute>;
