import type { ProtocolRoute } from '@svc/contract';
import type { onRequestHookHandler } from 'fastify';
import type { App } from '../http/http-context.ts';

/** Seconds for which a browser remembers the response to a preflight. */
const REMEMBERED = '600';

/**
 * Allows pages of every origin to read the response (CORS). Browsers send these requests without cookies, so a page
 * gets only what any program on the user's computer gets without the user's sign-in.
 */
export const allowEveryOrigin: onRequestHookHandler = (_request, reply, done) => {
  reply.header('access-control-allow-origin', '*');
  done();
};

/** Responds to CORS preflight requests for the route. */
export function answerPreflights(scope: App, url: string, route: ProtocolRoute): void {
  scope.route({
    method: 'OPTIONS',
    url,
    config: { protocolRoute: route },
    onRequest: allowEveryOrigin,
    handler: (_request, reply) =>
      reply
        .header('access-control-allow-methods', route.method)
        .header('access-control-allow-headers', 'content-type, authorization, mcp-protocol-version')
        .header('access-control-max-age', REMEMBERED)
        .code(204)
        .send(),
  });
}
