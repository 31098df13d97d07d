import { routes } from '@svc/contract';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';

/** Registers the routes for liveness and readiness, which need no credential and have no rate limit (contract 2). */
export function healthRoutes(api: App, { services }: HttpContext): void {
  handle(api, routes.health, () => ({ ok: true }));

  handle(api, routes.ready, (_request, reply) => {
    const checks = services.readiness();
    const ok = checks.database && checks.migrations && checks.signingKey;
    if (!ok) reply.code(503);
    return { ok, checks };
  });
}
