import { ADMIN, alsoAccepting } from '../access.ts';
import { route } from '../define-route.ts';
import { feature } from '../feature.ts';
import { Type } from './common.ts';
import { HEALTH_TAG } from './health.ts';

export const metricsRoutes = feature(HEALTH_TAG, {
  metrics: route.get('/metrics', {
    access: alsoAccepting(ADMIN, { by: 'scrape-token' }),
    summary: 'Metrics in the format of Prometheus; SVC_METRICS_TOKEN is also accepted',
    responses: { 200: Type.String() },
    produces: ['text/plain'],
  }),
});
