import { routes } from '@svc/contract';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';

/** Metrics in Prometheus' format. */
export function metricsRoutes(api: App, { services }: HttpContext): void {
  handle(api, routes.metrics, async (_request, reply) => {
    const { type, text } = await services.metrics.scrape();
    reply.type(type);
    return text;
  });
}
