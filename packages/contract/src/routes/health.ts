import { PUBLIC } from '../access.ts';
import { defineRoute } from '../define-route.ts';
import { feature, type RouteTag } from '../feature.ts';
import { named, Type } from './common.ts';

const Readiness = named(
  'Readiness',
  Type.Object({
    ok: Type.Boolean(),
    checks: Type.Object({ database: Type.Boolean(), signingKey: Type.Boolean(), migrations: Type.Boolean() }),
  }),
);

export const HEALTH_TAG: RouteTag = { name: 'Health', description: 'Liveness, readiness and metrics.' };

export const healthRoutes = feature(HEALTH_TAG, {
  health: defineRoute({
    method: 'GET',
    path: '/health',
    access: PUBLIC,
    summary: 'Whether the process responds; never rate limited',
    responses: { 200: named('Health', Type.Object({ ok: Type.Boolean() })) },
  }),
  ready: defineRoute({
    method: 'GET',
    path: '/health/ready',
    access: PUBLIC,
    operationId: 'getReadiness',
    summary: 'Whether the database, the migrations and the signing key are ready',
    responses: { 200: Readiness, 503: Readiness },
  }),
});
