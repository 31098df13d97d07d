import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type Passkey, type RelyingParty, relyingParty } from '@svc/accounts';
import type { Caller } from '@svc/auth-core';
import { routes } from '@svc/contract';
import { instant } from '@svc/module';
import type { FastifyRequest } from 'fastify';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';
import { limitedBy, networkOf } from '../plugins/attempt-limits.ts';

/** Registers the routes for signing in with passkeys and for managing them (contract 10.2). */
export function passkeyRoutes(api: App, context: HttpContext): void {
  signInRoutes(api, context);
  ownRoutes(api, context);
  userRoutes(api, context);
}

function signInRoutes(api: App, { services, cookie }: HttpContext): void {
  const { passkeyVerifier, passkeySignIn, signInAttempts } = services;
  const rateLimit = limitedBy(signInAttempts.byAddress, 'too many login attempts', networkOf);

  handle(
    api,
    routes.createPasskeySignInOptions,
    async (request) => ({ ...(await passkeyVerifier.options(partyOf(request, services))) }),
    { rateLimit },
  );

  handle(
    api,
    routes.loginWithPasskey,
    async (request, reply) => {
      const opened = await passkeySignIn.open(
        {
          response: request.body.response,
          party: partyOf(request, services),
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

function ownRoutes(api: App, { services }: HttpContext): void {
  const { ownPasskeys } = services;
  const ofCaller = {
    authorizeResource: (caller: Caller, { id }: { id: string }) => void ownPasskeys.checkOwn(caller, id),
  };

  handle(api, routes.listPasskeys, ({ caller }) => ownPasskeys.list(caller).map(shown));

  handle(api, routes.getPasskeyAddress, (request) => {
    const { rpId, address } = partyOf(request, services);
    const others = ownPasskeys.list(request.caller).filter((passkey) => passkey.rpId !== rpId);
    return { rpId, address, unusable: others.map(({ id }) => id) };
  });

  handle(api, routes.createPasskeyOptions, async (request) => ({
    ...(await ownPasskeys.options(request.caller, partyOf(request, services))),
  }));

  handle(api, routes.addPasskey, async (request) =>
    shown(await ownPasskeys.add(request.caller, request.body, partyOf(request, services))),
  );

  handle(
    api,
    routes.changePasskey,
    ({ caller, params, body }) => shown(ownPasskeys.rename(caller, params.id, body.name)),
    ofCaller,
  );

  handle(
    api,
    routes.removePasskey,
    (request) => ownPasskeys.remove(request.caller, request.params.id, partyOf(request, services)),
    ofCaller,
  );
}

function userRoutes(api: App, { services: { ownPasskeys } }: HttpContext): void {
  handle(
    api,
    routes.listUserPasskeys,
    ({ caller, params }) => ownPasskeys.listOf(caller, params.id).map(shown),
    { authorizeResource: (caller, { id }) => ownPasskeys.checkReach(caller, id) },
  );

  handle(
    api,
    routes.removeUserPasskey,
    ({ caller, params }) => ownPasskeys.removeOf(caller, params.id, params.passkeyId),
    { authorizeResource: (caller, { id }) => ownPasskeys.checkReach(caller, id) },
  );
}

function shown({ id, name, createdAt, lastUsedAt, backedUp }: Passkey) {
  return { id, name, createdAt: instant(createdAt), lastUsedAt: instant(lastUsedAt), backedUp };
}

/**
 * Returns the relying party (name and origins) for which passkeys work on this server. It depends on the settings and
 * on the local port at which the request arrived.
 */
export function partyOf(request: FastifyRequest, { config }: HttpContext['services']): RelyingParty {
  const { publicUrl, allowedOrigins } = config;
  return relyingParty({ publicUrl, allowedOrigins, localOrigin: localOriginOf(request.raw.socket) });
}

function localOriginOf(socket: Socket): string | null {
  const { localPort } = socket;
  const scheme = (socket as Partial<TLSSocket>).encrypted === true ? 'https' : 'http';
  return localPort === undefined ? null : new URL(`${scheme}://localhost:${localPort}`).origin;
}
