import type { App, HttpContext } from '../http/http-context.ts';
import { pauses } from '../runtime/pauses.ts';
import { documentsProtocol } from './documents.ts';
import { mcpProtocol } from './mcp.ts';
import { oauthProtocol } from './oauth/oauth.ts';
import { oidcProtocol } from './oidc.ts';
import { openProtocol } from './protocol.ts';
import { scimProtocol } from './scim/scim.ts';

const PROTOCOLS = [documentsProtocol, oauthProtocol, oidcProtocol, scimProtocol];

/**
 * Registers the routes outside `/svc/api` whose clients use a standard protocol, such as OAuth or MCP (contract 10).
 */
export async function openProtocols(app: App, context: HttpContext): Promise<void> {
  const pause = pauses();
  const { agents } = context.services.modules;
  for (const protocol of [...PROTOCOLS, ...(agents === undefined ? [] : [mcpProtocol(agents.offers)])]) {
    await openProtocol(app, context, protocol);
    await pause();
  }
}
