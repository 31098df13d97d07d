import { ownPage } from '@svc/accounts';
import { Refusal } from '@svc/auth-core';
import { PROTOCOL_PREFIXES, routes, SITE_PREFIX } from '@svc/contract';
import { instant } from '@svc/module';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';
import { OidcCookies } from '../http/oidc-cookies.ts';
import { senderNetworkOf } from '../plugins/attempt-limits.ts';
import type { OidcService } from '../services/oidc.ts';
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
    backchannelLogoutUrl:
      oidc === null ? null : `${oidc.publicUrl}${PROTOCOL_PREFIXES.oidc}/backchannel-logout`,
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
    const started = await signIn.start(returnPageOf(request), {
      fresh: request.query.fresh === '1',
      from: request.from,
    });
    if ('problem' in started) return redirect(reply, problemPage(started.problem));
    cookies.set(request, reply, 'transaction', started.transaction);
    redirect(reply, started.address);
  });

  handle(api, routes.finishProviderSignIn, async (request, reply) => {
    const signIn = await opened().load();
    cookies.clear(request, reply, 'transaction');
    const network = senderNetworkOf(request);
    const transaction = cookies.read(request, 'transaction');
    // Limit the number of failed callbacks per sender, because each one may cause requests to the provider. A browser
    // that holds a transaction of this server is let through, so that a flood does not shut out other people.
    if (!signIn.isPending(transaction) && refusedGrants.waitMs(network) > 0)
      return redirect(reply, problemPage('oidc_failed'));
    const { url } = request.raw;
    const result = await signIn.callback({
      query: new URL(url ?? '', 'http://own.invalid').search,
      transaction,
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

/**
 * @returns the page to which the browser returns. The page that approves a terminal is accepted only if a page of this
 * server started the sign-in. Otherwise one link could sign a person in silently and show them a filled-in approval.
 */
function returnPageOf({
  query,
  headers,
}: Pick<FastifyRequest, 'headers'> & { query: { return?: unknown } }): string {
  const page = ownPage(query.return) ?? FIRST_PAGE;
  const isApproval = page.split(/[?#]/, 1)[0] === `${SITE_PREFIX}/device`;
  return isApproval && headers['sec-fetch-site'] !== 'same-origin' ? FIRST_PAGE : page;
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
