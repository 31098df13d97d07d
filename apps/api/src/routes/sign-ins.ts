import { ANY_CALLER, NO_CREDENTIAL, openDashboardSession, SIGN_IN_ONLY, scopeList } from '@svc/auth-core';
import { DashboardSessionResponse, IdParams, SignInResponse, Type } from '@svc/contract';
import type { App, HttpContext } from '../http-context.ts';
import { instant } from '../wire.ts';

/** A person's own sign-ins, and a sign-in opened with a key or bearer token (contract 2). */
export function signInListRoutes(api: App, { services, cookie }: HttpContext): void {
  const own = { config: { access: SIGN_IN_ONLY } };

  api.get(
    '/auth/sign-ins',
    { ...own, schema: { response: { 200: Type.Array(SignInResponse) } } },
    async (request) => {
      const current = request.caller.credential.ownSignIn;
      return services.signIns
        .list(request.caller)
        .map(({ id, createdAt, lastSeenAt, expiresAt, userAgent }) => ({
          id,
          createdAt: instant(createdAt),
          lastSeenAt: instant(lastSeenAt),
          expiresAt: instant(expiresAt),
          userAgent,
          current: id === current,
        }));
    },
  );

  api.delete('/auth/sign-ins/:id', { ...own, schema: { params: IdParams } }, async (request, reply) => {
    const { id } = request.params;
    services.signIns.end(request.caller, id);
    if (request.caller.credential.ownSignIn === id) {
      reply.removeHeader('set-cookie');
      cookie.clear(request, reply);
    }
    return reply.code(204).send();
  });

  api.post(
    '/auth/dashboard-session',
    { config: { access: ANY_CALLER }, schema: { response: { 200: DashboardSessionResponse } } },
    async (request, reply) => {
      const { caller } = request;
      // With sign-in off there is nothing to open, and nothing that would outlive it being on again.
      if (caller.credential !== NO_CREDENTIAL) {
        const userAgent = request.headers['user-agent'] ?? null;
        const opened = openDashboardSession(caller, userAgent, services);
        cookie.set(request, reply, opened.cookie, opened.lifetimeMs);
      }
      return { ok: true, scopes: scopeList(caller.scopes) };
    },
  );
}
