import type { App, HttpContext } from '../http/http-context.ts';
import { pauses } from '../server/pauses.ts';
import { documentsRoom } from './documents.ts';
import { mcpRoom } from './mcp.ts';
import { oauthRoom } from './oauth/oauth-room.ts';
import { oidcRoom } from './oidc.ts';
import { openRoom } from './room.ts';
import { scimRoom } from './scim/scim-room.ts';

/**
 * Registers the routes outside `/svc/api` whose clients use a standard protocol, such as OAuth or MCP (contract 10).
 */
export async function openRooms(app: App, context: HttpContext): Promise<void> {
  const rooms = [documentsRoom, oauthRoom(context), oidcRoom(context), scimRoom(context), mcpRoom];
  const pause = pauses();
  for (const room of rooms) {
    await openRoom(app, context, room);
    await pause();
  }
}
