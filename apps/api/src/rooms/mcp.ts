import { ROOM_PREFIXES } from '@svc/contract';
import { leaveBodies } from '../plugins/bodies.ts';
import { sendError } from '../plugins/errors.ts';
import type { Room } from './room.ts';

/** Room of the MCP server, which reads the raw request and writes the response itself (contract 12). */
export const mcpRoom: Room = {
  prefix: ROOM_PREFIXES.mcp,
  sendError,
  parseBodies: leaveBodies,
  serve: () => undefined,
};
