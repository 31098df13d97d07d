import type { FastifyInstance } from 'fastify';
import type { HttpContext } from '../http/http-context.ts';

const LONGEST_PATH = 512;

/**
 * Logs a line at level `debug` for each response. The line omits the query of the URL, because it may contain a ticket.
 * At other log levels no hook is added, so requests have no extra cost. Call this with the root instance before any
 * route is added.
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

/** Code of a terminal in the path. A client that knows a waiting code can make somebody approve a foreign terminal. */
const USER_CODE = /(\/auth\/device\/)[^/]+/gi;

/** Returns the path of a request for the log, without its query and without the code of a terminal that waits. */
export function pathOf(url: string): string {
  const query = url.indexOf('?');
  const path = url.slice(0, Math.min(query < 0 ? url.length : query, LONGEST_PATH));
  return path.replace(USER_CODE, '$1...');
}
