import type { FastifyInstance } from 'fastify';
import type { HttpContext } from '../http/http-context.ts';

const LONGEST_PATH = 512;

/**
 * Logs a line at level `debug` for each response, without the query, because it may contain a ticket. At other levels
 * there is no hook, so it costs nothing. Call it with the root, before any route is added.
 */
export function logAccess(app: FastifyInstance, { services: { log, config } }: HttpContext): void {
  if (config.logLevel !== 'debug') return;
  app.addHook('onResponse', (request, reply, done) => {
    log.debug('Request answered', {
      request: request.id,
      method: request.method,
      path: pathOf(request.url),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      caller: request.caller?.account.id ?? null,
      address: request.from?.address ?? null,
    });
    done();
  });
}

function pathOf(url: string): string {
  const query = url.indexOf('?');
  return url.slice(0, Math.min(query < 0 ? url.length : query, LONGEST_PATH));
}
