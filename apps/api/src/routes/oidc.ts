import { type OidcService, ownPage, senderNetworkOf } from '@svc/accounts';
import { Refusal } from '@svc/auth-core';
import { routes, SITE_PREFIX } from '@svc/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';
import { OidcCookies } from '../http/oidc-cookies.ts';

/** Page to which the browser is redirected after a sign-in, unless the sign-in request named another page. */
const FIRST_PAGE = `${SITE_PREFIX}/devices`;

/** Registers the routes that a browser visits to sign in through an OpenID provider (contract 10.1). */
export function oidcRoutes(api: App, { services, clients, cookie }: HttpContext): void {
  const cookies = new OidcCookies(clients);
  const { refusedGrants, oidc } = services.modules.accounts.offers;
  const opened = (): OidcService => {
    if (oidc === null) throw new Refusal('not_found', 'no provider is set up');
    return oidc;
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
