import { NO_CREDENTIAL, scopeList } from '@svc/auth-core';
import { routes } from '@svc/contract';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';

/**
 * Registers the routes that end a sign-in of the caller, and the route that opens one with a key or a
 * bearer token (contract 2).
 */
export function signInListRoutes(api: App, { services, cookie }: HttpContext): void {
  const { signIns, dashboardSessions } = services.modules.accounts.offers;
  handle(
    api,
    routes.endSignIn,
    (request, reply) => {
      const { id } = request.params;
      signIns.end(request.caller, id);
      if (request.caller.credential.ownSignIn === id) {
        reply.removeHeader('set-cookie');
        cookie.clear(request, reply);
      }
    },
    { authorizeResource: (caller, { id }) => signIns.checkOwn(caller, id) },
  );

  handle(api, routes.openDashboardSession, (request, reply) => {
    const { caller } = request;
    // While sign-in is off, no sign-in is created, because it would remain valid when sign-in is switched on again.
    if (caller.credential !== NO_CREDENTIAL) {
      const userAgent = request.headers['user-agent'] ?? null;
      const opened = dashboardSessions.open(caller, userAgent);
      cookie.set(request, reply, opened.cookie, opened.lifetimeMs);
    }
    return { ok: true, scopes: scopeList(caller.scopes) };
  });
}
