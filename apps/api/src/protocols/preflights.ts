import { type ProtocolRoute, PUBLIC } from '@svc/contract';
import type { App } from '../http/http-context.ts';

/** Seconds for which a browser remembers the response to a preflight. */
const REMEMBERED = '600';

/** Responds to CORS preflight requests for the route, which no client can send a credential with. */
export function answerPreflights(scope: App, url: string, { method, errorFormat }: ProtocolRoute): void {
  scope.route({
    method: 'OPTIONS',
    url,
    config: { access: PUBLIC, errorFormat, crossOrigin: true },
    handler: (_request, reply) =>
      reply
        .header('access-control-allow-methods', method)
        .header('access-control-allow-headers', 'content-type, authorization, mcp-protocol-version')
        .header('access-control-max-age', REMEMBERED)
        .code(204)
        .send(),
  });
}
