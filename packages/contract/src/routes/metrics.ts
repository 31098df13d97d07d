import { ADMIN } from '../access.ts';
import { defineRoute } from '../define-route.ts';
import { Type } from './common.ts';

export const metricsRoutes = {
  metrics: defineRoute({
    method: 'GET',
    path: '/metrics',
    access: { ...ADMIN, orScrapeToken: true },
    summary: 'Metrics for Prometheus, as text; SVC_METRICS_TOKEN as a bearer also reads it',
    responses: { 200: Type.String() },
    produces: ['text/plain'],
  }),
};
