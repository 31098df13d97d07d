import { routes } from '@svc/contract';
import { handle } from '../handle.ts';
import type { App, HttpContext } from '../http-context.ts';
import type { Services } from '../services.ts';

/** Liveness and readiness; no credential, never rate limited (contract 2). */
export function healthRoutes(api: App, { services }: HttpContext): void {
  handle(api, routes.health, () => ({ ok: true }));

  handle(api, routes.ready, (_request, reply) => {
    const { database, migrations } = services.stores.ready();
    const signingKey = services.keyRing.current !== undefined;
    const checks = { database: database && canLookUp(services.stores), signingKey, migrations };
    const ok = checks.database && checks.migrations && checks.signingKey;
    if (!ok) reply.code(503);
    return { ok, checks };
  });
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
