import { routes } from '@svc/contract';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';

/** Registers the route that returns the metrics in the Prometheus text format. */
export function metricsRoutes(api: App, { services }: HttpContext): void {
  handle(api, routes.metrics, async (_request, reply) => {
    const { type, text } = await services.metrics.scrape();
    reply.type(type);
    return text;
  });
}
