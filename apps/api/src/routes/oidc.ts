import { ownPage, Refusal } from '@svc/auth-core';
import { ROOM_PREFIXES, routes, SITE_PREFIX } from '@svc/contract';
import type { FastifyReply } from 'fastify';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';
import { OidcCookies } from '../http/oidc-cookies.ts';
import { networkOf } from '../plugins/attempt-limits.ts';
import type { OidcService } from '../services/oidc.ts';
import { instant } from '../wire/instant.ts';
import { partyOf } from './passkeys.ts';

/** Page to which the browser is redirected after a sign-in, unless the sign-in request named another page. */
const FIRST_PAGE = `${SITE_PREFIX}/devices`;

/** Registers the routes for sign-in through an OpenID provider (contract 10.1). */
export function oidcRoutes(api: App, context: HttpContext): void {
  browserRoutes(api, context);
  const { services } = context;
  const { oidc, config, ownIdentities } = services;

  handle(api, routes.getProviderSetup, () => ({
    active: oidc !== null,
    name: config.oidc?.name ?? null,
    issuer: config.oidc?.issuer ?? null,
    callbackUrl: oidc?.callbackUrl ?? null,
    backchannelLogoutUrl: oidc === null ? null : `${oidc.publicUrl}${ROOM_PREFIXES.oidc}/backchannel-logout`,
    managesRoles: oidc !== null && config.oidc?.roles !== null,
    managesTeams: oidc !== null && config.oidc?.teams !== null,
  }));

  handle(api, routes.listIdentities, ({ caller }) =>
    ownIdentities.list(caller).map(({ id, issuer, subject, ...times }) => ({
      id,
      issuer,
      subject,
      createdAt: instant(times.createdAt),
      lastSignInAt: instant(times.lastSignInAt),
    })),
  );

  handle(api, routes.listUserIdentities, ({ caller }) =>
    services.users.identities(caller).map(({ id, accountId, issuer, subject, lastSignInAt }) => ({
      id,
      userId: accountId,
      issuer,
      subject,
      lastSignInAt: instant(lastSignInAt),
    })),
  );

  handle(
    api,
    routes.removeIdentity,
    (request) => ownIdentities.remove(request.caller, request.params.id, partyOf(request, services).rpId),
    { authorizeResource: (caller, { id }) => void ownIdentities.checkOwn(caller, id) },
  );

  handle(
    api,
    routes.removeUserIdentity,
    ({ caller, params }) => ownIdentities.removeOf(caller, params.id, params.identityId),
    { authorizeResource: (caller, { id }) => ownIdentities.checkReach(caller, id) },
  );
}

function browserRoutes(api: App, { services, clients, cookie }: HttpContext): void {
  const cookies = new OidcCookies(clients);
  const { refusedGrants } = services;
  const opened = (): OidcService => {
    if (services.oidc === null) throw new Refusal('not_found', 'no provider is set up');
    return services.oidc;
  };

  handle(api, routes.startProviderSignIn, async (request, reply) => {
    const signIn = await opened().load();
    const started = await signIn.start(ownPage(request.query.return) ?? FIRST_PAGE, request.from);
    if ('problem' in started) return redirect(reply, problemPage(started.problem));
    cookies.set(request, reply, 'transaction', started.transaction);
    redirect(reply, started.address);
  });

  handle(api, routes.finishProviderSignIn, async (request, reply) => {
    const signIn = await opened().load();
    cookies.clear(request, reply, 'transaction');
    const network = networkOf(request);
    // Limit the number of failed callbacks per network, because each one may cause requests to the provider.
    if (refusedGrants.waitMs(network) > 0) return redirect(reply, problemPage('oidc_failed'));
    const { url } = request.raw;
    const result = await signIn.callback({
      query: new URL(url ?? '', 'http://own.invalid').search,
      transaction: cookies.read(request, 'transaction'),
      from: request.from,
      userAgent: request.headers['user-agent'] ?? null,
    });
    if ('problem' in result) {
      if (result.problem === 'oidc_failed') refusedGrants.add(network);
      if (result.link !== undefined) cookies.set(request, reply, 'link', result.link);
      return redirect(reply, problemPage(result.problem));
    }
    cookie.set(request, reply, result.opened.cookie, result.opened.lifetimeMs);
    redirect(reply, result.returnTo);
  });
}

function problemPage(problem: string): string {
  return `${SITE_PREFIX}/sign-in?problem=${problem}`;
}

/**
 * Redirects the browser to the address, with the status that the route declares. `Referrer-Policy: no-referrer` keeps
 * the address of this request, which contains an OAuth code, out of the `Referer` header of the next request.
 */
function redirect(reply: FastifyReply, address: string): void {
  reply.header('location', address).header('referrer-policy', 'no-referrer');
}
