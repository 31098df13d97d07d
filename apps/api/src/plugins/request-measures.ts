import { API_PREFIX } from '@svc/contract';
import type { FastifyInstance } from 'fastify';
import { isApi } from '../http/route-table.ts';
import type { RequestMeasures } from '../metrics/request-measures.ts';

/**
 * Counts and times the answers of each route, into numbers made when the route was added; sockets and streams, which
 * the framework does not send, are not among them. To be called with the root, before any route is. When an answer is
 * sent, not when it is through: the framework would listen to each response for that, an eighth of what a checked
 * request costs.
 */
export function measureRequests(app: FastifyInstance, requests: RequestMeasures): void {
  app.addHook('onRoute', (route) => {
    // The framework makes a HEAD route for each GET route.
    if (!isApi(route.url) || route.method === 'HEAD' || route.method === 'OPTIONS') return;
    const measures = requests.of([route.method].flat().join(' '), route.url.slice(API_PREFIX.length));
    const measure: NonNullable<typeof route.onSend> = (request, reply, payload, done) => {
      measures.answered(reply.statusCode, (performance.now() - request.startedAt) / 1000);
      done(null, payload);
    };
    route.onSend = [measure, ...[route.onSend ?? []].flat()];
  });
}
