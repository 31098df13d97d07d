import { networkOf, partyOf } from '@svc/accounts';
import { routes } from '@svc/contract';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';
import { localOriginOf } from '../http/local-origin.ts';
import { limitedAsSignIn } from '../plugins/attempt-limits.ts';

/** Registers the routes for signing in with passkeys, which set the cookie (contract 10.2). */
export function passkeyRoutes(api: App, { services, cookie }: HttpContext): void {
  const { config } = services;
  const { passkeyVerifier, passkeySignIn, signInAttempts } = services.modules.accounts.offers;
  const rateLimit = limitedAsSignIn({ signInAttempts });

  handle(
    api,
    routes.createPasskeySignInOptions,
    async (request) => ({
      ...(await passkeyVerifier.options(partyOf(config, { localOrigin: localOriginOf(request.raw.socket) }))),
    }),
    { rateLimit },
  );

  handle(
    api,
    routes.loginWithPasskey,
    async (request, reply) => {
      const opened = await passkeySignIn.open(
        {
          response: request.body.response,
          party: partyOf(config, { localOrigin: localOriginOf(request.raw.socket) }),
          network: networkOf(request),
          userAgent: request.headers['user-agent'] ?? null,
        },
        request.from,
      );
      cookie.set(request, reply, opened.cookie, opened.lifetimeMs);
    },
    { rateLimit },
  );
}
