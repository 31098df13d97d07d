import { OAuthRefusal } from '@svc/accounts';
import { PROTOCOL_PREFIXES, protocolRoutes } from '@svc/contract';
import { identityUrl } from '@svc/settings';
import type { App, HttpContext } from '../../http/http-context.ts';
import { handleProtocolRoute, type Protocol } from '../protocol.ts';
import { type Form, parseForms } from './form.ts';
import { grantsOf } from './grants.ts';
import { refuseFlood } from './refuse-flood.ts';
import { serveRevocation } from './revocation.ts';
import { serveDeviceAuthorization } from './terminal.ts';

/**
 * Defines the routes for OAuth clients below `/svc/oauth`, which read form bodies and send errors in the format of RFC
 * 6749.
 */
export const oauthProtocol: Protocol = {
  prefix: PROTOCOL_PREFIXES.oauth,
  errorFormat: 'oauth',
  parseBodies: parseForms,
  serve: (scope, context) => {
    scope.addHook('onRequest', (_request, reply, done) => {
      // RFC 6749 5.1 requires `Pragma: no-cache` in addition to `Cache-Control`.
      reply.header('pragma', 'no-cache');
      done();
    });
    serveTokens(scope, context);
    serveDeviceAuthorization(scope, context);
    serveRevocation(scope, context);
  },
};

function serveTokens(scope: App, context: HttpContext): void {
  const { config, modules } = context.services;
  const { refusedGrants } = modules.accounts.offers;
  const grants = grantsOf(context, identityUrl(config));
  handleProtocolRoute(scope, protocolRoutes.oauthToken, (request) => {
    const form = request.body as Form;
    const grant = grants.get(form.required('grant_type'));
    if (grant === undefined)
      throw new OAuthRefusal('unsupported_grant_type', 'This server does not support the grant type');
    return refuseFlood(refusedGrants, request, {
      isKnown: grant.isKnown(form),
      work: () => grant.answer(form, request),
    });
  });
}
