import { API_PREFIX } from '@svc/contract';
import type { RequestMeasures } from '@svc/telemetry';
import type { FastifyInstance } from 'fastify';
import { isApi } from '../http/route-table.ts';

/**
 * Counts and times the responses of each route, except WebSockets and streams. Call this with the root instance before
 * any route is added. Uses Fastify's hook `onSend`, because the hook `onResponse` would add listeners to each response
 * and make requests slower.
 */
export function measureRequests(app: FastifyInstance, requests: RequestMeasures): void {
  app.addHook('onRoute', (route) => {
    // The HEAD routes, which Fastify adds for GET routes, are not measured.
    if (!isApi(route.url) || route.method === 'HEAD' || route.method === 'OPTIONS') return;
    const measures = requests.of([route.method].flat().join(' '), route.url.slice(API_PREFIX.length));
    const measure: NonNullable<typeof route.onSend> = (request, reply, payload, done) => {
      measures.answered(reply.statusCode, (performance.now() - request.startedAt) / 1000);
      done(null, payload);
    };
    route.onSend = [measure, ...[route.onSend ?? []].flat()];
  });
}
