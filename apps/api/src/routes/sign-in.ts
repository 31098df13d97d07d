import { networkOf, type OidcService, passkeysWork } from '@svc/accounts';
import { Refusal, Unavailable } from '@svc/auth-core';
import { routes } from '@svc/contract';
import type { FastifyRequest } from 'fastify';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';
import { OidcCookies } from '../http/oidc-cookies.ts';
import { limitedAsSignIn } from '../plugins/attempt-limits.ts';
import { LOGO } from '../plugins/pages.ts';
import { VERSION } from '../runtime/resources.ts';
import type { SettingsOffers } from '../settings/open.ts';

/** Registers the routes for dashboard sign-in and sign-out (specification 4, contract 2). */
export function signInRoutes(api: App, { services, cookie, clients }: HttpContext): void {
  const oidcCookies = new OidcCookies(clients);
  const { config } = services;
  const { oidc, passwordSignIn, signIns, mailsResetLinks, signInAttempts } = services.modules.accounts.offers;
  const rateLimit = limitedAsSignIn({ signInAttempts });

  handle(
    api,
    routes.login,
    async (request, reply) => {
      const { email, password } = request.body;
      if (!isFilled(email) || !isFilled(password)) throw new Refusal('email and password required');
      const userAgent = request.headers['user-agent'] ?? null;
      const alsoDo = await linkingOf(request, oidc, oidcCookies);
      const input = { email: email.trim(), password, network: networkOf(request), userAgent, alsoDo };
      const opened = await passwordSignIn.open(input, request.from);
      cookie.set(request, reply, opened.cookie, opened.lifetimeMs);
      if (alsoDo !== undefined) oidcCookies.clear(request, reply, 'link');
    },
    { rateLimit },
  );

  handle(api, routes.logout, (request, reply) => {
    if (request.presented.cookie !== undefined) signIns.endByCookie(request.presented.cookie, request.from);
    cookie.clear(request, reply);
  });

  handle(api, routes.authOptions, (request) => {
    const passwordReset: 'email' | 'admin' = mailsResetLinks ? 'email' : 'admin';
    return {
      passwordReset,
      authDisabled: config.authDisabled,
      version: VERSION,
      oidc: oidc === null ? null : { name: oidc.name },
      passkeys: passkeysWork(config.publicUrl, request.headers.host),
      ...brandOf(services.modules.settings.offers),
      passwordSignIn: config.passwordSignIn === 'on',
    };
  });
}

/**
 * @returns the name and the logo of the lab. People can sign in without them, so the default applies if they cannot be
 * read.
 */
function brandOf({ settings, labLogo }: SettingsOffers) {
  try {
    const logo = labLogo.current();
    const { labName } = settings.current();
    return { labName, labLogo: logo === null ? null : `${LOGO}?v=${logo.version}` };
  } catch (error) {
    if (error instanceof Unavailable) return { labName: null, labLogo: null };
    throw error;
  }
}

/**
 * @returns a function that links an account to the provider's identity of the person in this browser, or undefined if
 * the request has no link cookie. That cookie is set by a sign-in through the provider for a person whose account is
 * not linked yet.
 */
async function linkingOf(request: FastifyRequest, oidc: OidcService | null, cookies: OidcCookies) {
  const value = oidc === null ? undefined : cookies.read(request, 'link');
  if (oidc === null || value === undefined) return undefined;
  return (await oidc.load()).linking(value, request.from);
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
