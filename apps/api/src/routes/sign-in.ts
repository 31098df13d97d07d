import { Refusal } from '@svc/auth-core';
import { routes } from '@svc/contract';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';
import { limitedAsSignIn, networkOf } from '../plugins/attempt-limits.ts';
import { VERSION } from '../runtime/resources.ts';

/** Registers the routes for dashboard sign-in and sign-out (specification 4, contract 2). */
export function signInRoutes(api: App, { services, cookie }: HttpContext): void {
  const { config } = services;
  const rateLimit = limitedAsSignIn(services);

  handle(
    api,
    routes.login,
    async (request, reply) => {
      const { email, password } = request.body;
      if (!isFilled(email) || !isFilled(password)) throw new Refusal('email and password required');
      const userAgent = request.headers['user-agent'] ?? null;
      const input = { email: email.trim(), password, network: networkOf(request), userAgent };
      const opened = await services.passwordSignIn.open(input, request.from);
      cookie.set(request, reply, opened.cookie, opened.lifetimeMs);
    },
    { rateLimit },
  );

  handle(api, routes.logout, (request, reply) => {
    if (request.presented.cookie !== undefined)
      services.signIns.endByCookie(request.presented.cookie, request.from);
    cookie.clear(request, reply);
  });

  handle(api, routes.authOptions, () => {
    const passwordReset: 'email' | 'admin' = services.resetDelivery.mails ? 'email' : 'admin';
    return {
      passwordReset,
      authDisabled: config.authDisabled,
      version: VERSION,
      oidc: null,
      passkeys: false,
      passwordSignIn: true,
    };
  });
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
