import { PUBLIC } from '../access.ts';
import { route } from '../define-route.ts';
import { feature, type RouteTag } from '../feature.ts';
import { namedObject, Type } from './common.ts';

const Readiness = namedObject('Readiness', {
  ok: Type.Boolean(),
  checks: Type.Object({ database: Type.Boolean(), signingKey: Type.Boolean(), migrations: Type.Boolean() }),
});

export const HEALTH_TAG: RouteTag = { name: 'Health', description: 'Liveness, readiness and metrics.' };

export const healthRoutes = feature(HEALTH_TAG, {
  health: route.get('/health', {
    access: PUBLIC,
    summary: 'Whether the process responds; never rate limited',
    responses: { 200: namedObject('Health', { ok: Type.Boolean() }) },
  }),
  ready: route.get('/health/ready', {
    access: PUBLIC,
    operationId: 'getReadiness',
    summary: 'Whether the database, the migrations and the signing key are ready',
    responses: { 200: Readiness, 503: Readiness },
  }),
});
