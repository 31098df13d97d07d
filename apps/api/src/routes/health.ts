import { PUBLIC } from '@svc/auth-core';
import { HealthAnswer, ReadyAnswer } from '@svc/contract';
import type { App, Host } from '../host.ts';

/** Liveness and readiness; no credential, never rate limited (contract 2). */
export function healthRoutes(api: App, { deps }: Host): void {
  api.get(
    '/health',
    { config: { access: PUBLIC }, schema: { response: { 200: HealthAnswer } } },
    async () => ({ ok: true }),
  );

  api.get(
    '/health/ready',
    { config: { access: PUBLIC }, schema: { response: { 200: ReadyAnswer, 503: ReadyAnswer } } },
    async (_request, reply) => {
      const checks = { ...deps.stores.ready(), signingKey: deps.keyRing.current !== undefined };
      const ok = checks.database && checks.migrations && checks.signingKey;
      return reply.code(ok ? 200 : 503).send({ ok, checks });
    },
  );
}
