import { PUBLIC } from '@svc/auth-core';
import { HealthAnswer, ReadyAnswer } from '@svc/contract';
import type { Deps } from '../deps.ts';
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
      const { database, migrations } = deps.stores.ready();
      const signingKey = deps.keyRing.current !== undefined;
      const checks = { database: database && canLookUp(deps.stores), signingKey, migrations };
      const ok = checks.database && checks.migrations && checks.signingKey;
      return reply.code(ok ? 200 : 503).send({ ok, checks });
    },
  );
}

/** A file that opens may still lack what every check needs. */
function canLookUp({ accounts }: Deps['stores']): boolean {
  try {
    accounts.isEmpty();
    return true;
  } catch {
    return false;
  }
}
