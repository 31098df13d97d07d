import { NO_CREDENTIAL, scopeList } from '@svc/auth-core';
import { routes } from '@svc/contract';
import { instant, mapped } from '@svc/module';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';

/**
 * Registers the routes that list and end the caller's own sign-ins, and the route that opens a sign-in with a key or a
 * bearer token (contract 2).
 */
export function signInListRoutes(api: App, { services, cookie, reads }: HttpContext): void {
  handle(api, routes.listSignIns, async (request, reply) => {
    const { caller } = request;
    const current = caller.credential.ownSignIn;
    const shown = mapped(
      services.signIns.list(caller),
      ({ id, createdAt, lastSeenAt, expiresAt, userAgent }) => ({
        id,
        createdAt: instant(createdAt),
        lastSeenAt: instant(lastSeenAt),
        expiresAt: instant(expiresAt),
        userAgent,
        current: id === current,
      }),
    );
    return await reads.sendList({ request, reply }, routes.listSignIns, shown);
  });

  handle(
    api,
    routes.endSignIn,
    (request, reply) => {
      const { id } = request.params;
      services.signIns.end(request.caller, id);
      if (request.caller.credential.ownSignIn === id) {
        reply.removeHeader('set-cookie');
        cookie.clear(request, reply);
      }
    },
    { authorizeResource: (caller, { id }) => services.signIns.checkOwn(caller, id) },
  );

  handle(api, routes.openDashboardSession, (request, reply) => {
    const { caller } = request;
    // While sign-in is off, no sign-in is created, because it would remain valid when sign-in is switched on again.
    if (caller.credential !== NO_CREDENTIAL) {
      const userAgent = request.headers['user-agent'] ?? null;
      const opened = services.dashboardSessions.open(caller, userAgent);
      cookie.set(request, reply, opened.cookie, opened.lifetimeMs);
    }
    return { ok: true, scopes: scopeList(caller.scopes) };
  });
}
