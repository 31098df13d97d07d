import { ADMIN, alsoAccepting } from '../access.ts';
import { defineRoute } from '../define-route.ts';
import { Type } from './common.ts';

export const metricsRoutes = {
  metrics: defineRoute({
    method: 'GET',
    path: '/metrics',
    access: alsoAccepting(ADMIN, { by: 'scrape-token' }),
    summary: 'Metrics in the format of Prometheus; SVC_METRICS_TOKEN is also accepted',
    responses: { 200: Type.String() },
    produces: ['text/plain'],
  }),
};
