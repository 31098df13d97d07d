import { OAuthRefusal } from '@svc/accounts';
import { Refusal } from '@svc/auth-core';
import { PROTOCOL_PREFIXES, protocolRoutes } from '@svc/contract';
import type { App, HttpContext } from '../http/http-context.ts';
import { type Form, parseForms } from './oauth/form.ts';
import { handleProtocolRoute, type Protocol } from './protocol.ts';

/**
 * Defines the routes that the OpenID provider calls, which read form bodies and send errors in the format of RFC 6749.
 */
export const oidcProtocol: Protocol = {
  prefix: PROTOCOL_PREFIXES.oidc,
  errorFormat: 'oauth',
  parseBodies: parseForms,
  serve: serveLogout,
};

function serveLogout(scope: App, context: HttpContext): void {
  const { oidc } = context.services.modules.accounts.offers;
  handleProtocolRoute(scope, protocolRoutes.backchannelLogout, async (request, reply) => {
    if (oidc === null) throw new Refusal('not_found', 'no provider is set up');
    const token = (request.body as Form).required('logout_token');
    const signIn = await oidc.load();
    const outcome = await signIn.logout(token, request.from);
    if (outcome === 'unavailable') {
      throw new OAuthRefusal('temporarily_unavailable', 'The keys of the provider cannot be fetched.');
    }
    if (outcome === 'refused') throw new OAuthRefusal('invalid_request', 'The logout token is not valid.');
    return reply.send();
  });
}
