import type { App, HttpContext } from '../http/http-context.ts';
import { pauses } from '../server/pauses.ts';
import { documentsProtocol } from './documents.ts';
import { mcpProtocol } from './mcp.ts';
import { oauthProtocol } from './oauth/oauth.ts';
import { oidcProtocol } from './oidc.ts';
import { openProtocol } from './protocol.ts';
import { scimProtocol } from './scim/scim.ts';

/**
 * Registers the routes outside `/svc/api` whose clients use a standard protocol, such as OAuth or MCP (contract 10).
 */
export async function openProtocols(app: App, context: HttpContext): Promise<void> {
  const protocols = [
    documentsProtocol,
    oauthProtocol(context),
    oidcProtocol(context),
    scimProtocol(context),
    mcpProtocol,
  ];
  const pause = pauses();
  for (const protocol of protocols) {
    await openProtocol(app, context, protocol);
    await pause();
  }
}
