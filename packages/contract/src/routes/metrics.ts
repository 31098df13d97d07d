import { ADMIN } from '../access.ts';
import { defineRoute } from '../define-route.ts';
import { Type } from './common.ts';

export const metricsRoutes = {
  metrics: defineRoute({
    method: 'GET',
    path: '/metrics',
    access: { ...ADMIN, orScrapeToken: true },
    summary: 'Metrics in the format of Prometheus; SVC_METRICS_TOKEN is also accepted',
    responses: { 200: Type.String() },
    produces: ['text/plain'],
  }),
};
