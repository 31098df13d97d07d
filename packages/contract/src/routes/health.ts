import { PUBLIC } from '../access.ts';
import { defineRoute } from '../define-route.ts';
import { named, Type } from './common.ts';

const Readiness = named(
  'Readiness',
  Type.Object({
    ok: Type.Boolean(),
    checks: Type.Object({ database: Type.Boolean(), signingKey: Type.Boolean(), migrations: Type.Boolean() }),
  }),
);

export const healthRoutes = {
  health: defineRoute({
    method: 'GET',
    path: '/health',
    access: PUBLIC,
    summary: 'Whether the process answers; never rate limited',
    responses: { 200: named('Health', Type.Object({ ok: Type.Boolean() })) },
  }),
  ready: defineRoute({
    method: 'GET',
    path: '/health/ready',
    access: PUBLIC,
    operationId: 'getReadiness',
    summary: 'Whether database, migrations and signing key are in order',
    responses: { 200: Readiness, 503: Readiness },
  }),
};
