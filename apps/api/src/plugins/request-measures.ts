import { API_PREFIX } from '@svc/contract';
import type { FastifyInstance } from 'fastify';
import type { RequestMeasures } from '../metrics/request-measures.ts';
import { isApi } from '../route-table.ts';

/**
 * Counts and times the answers of each route, into numbers made when the route was added. To be called with the root,
 * before any route is.
 */
export function measureRequests(app: FastifyInstance, requests: RequestMeasures): void {
  app.addHook('onRoute', (route) => {
    // The framework makes a HEAD route for each GET route.
    if (!isApi(route.url) || route.method === 'HEAD' || route.method === 'OPTIONS') return;
    const measures = requests.of([route.method].flat().join(' '), route.url.slice(API_PREFIX.length));
    const measure: NonNullable<typeof route.onResponse> = (_request, reply, done) => {
      measures.answered(reply.statusCode, reply.elapsedTime / 1000);
      done();
    };
    route.onResponse = [measure, ...[route.onResponse ?? []].flat()];
  });
}
