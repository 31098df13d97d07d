import { PUBLIC } from '@svc/auth-core';
import { HealthResponse, ReadyResponse } from '@svc/contract';
import type { App, HttpContext } from '../http-context.ts';
import type { Services } from '../services.ts';

/** Liveness and readiness; no credential, never rate limited (contract 2). */
export function healthRoutes(api: App, { services }: HttpContext): void {
  api.get(
    '/health',
    { config: { access: PUBLIC }, schema: { response: { 200: HealthResponse } } },
    async () => ({ ok: true }),
  );

  api.get(
    '/health/ready',
    { config: { access: PUBLIC }, schema: { response: { 200: ReadyResponse, 503: ReadyResponse } } },
    async (_request, reply) => {
      const { database, migrations } = services.stores.ready();
      const signingKey = services.keyRing.current !== undefined;
      const checks = { database: database && canLookUp(services.stores), signingKey, migrations };
      const ok = checks.database && checks.migrations && checks.signingKey;
      return reply.code(ok ? 200 : 503).send({ ok, checks });
    },
  );
}

/** A file that opens may still lack what every check needs. */
function canLookUp({ accounts }: Services['stores']): boolean {
  try {
    accounts.isEmpty();
    return true;
  } catch {
    return false;
  }
}
