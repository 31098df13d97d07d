import { API_PREFIX } from '@svc/contract';
import type { FastifyInstance } from 'fastify';
import { isApi } from '../http/route-table.ts';
import type { RequestMeasures } from '../metrics/request-measures.ts';

/**
 * Counts and times the responses of each route. Sockets and streams are not included, because the framework does not
 * send them. Call it with the root, before any route is added. A response is counted when it is sent and not when it
 * has ended, because for that the framework would listen to each response, which costs an eighth of a checked request.
 */
export function measureRequests(app: FastifyInstance, requests: RequestMeasures): void {
  app.addHook('onRoute', (route) => {
    // The framework adds a HEAD route for each GET route.
    if (!isApi(route.url) || route.method === 'HEAD' || route.method === 'OPTIONS') return;
    const measures = requests.of([route.method].flat().join(' '), route.url.slice(API_PREFIX.length));
    const measure: NonNullable<typeof route.onSend> = (request, reply, payload, done) => {
      measures.answered(reply.statusCode, (performance.now() - request.startedAt) / 1000);
      done(null, payload);
    };
    route.onSend = [measure, ...[route.onSend ?? []].flat()];
  });
}
