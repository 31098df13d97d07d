import { networkOf, OAuthRefusal, senderNetworkOf } from '@svc/accounts';
import { protocolRoutes, SITE_PREFIX } from '@svc/contract';
import { instant } from '@svc/module';
import type { FastifyRequest } from 'fastify';
import { addressFor } from '../../http/address-for.ts';
import type { App, HttpContext } from '../../http/http-context.ts';
import { handleProtocolRoute } from '../protocol.ts';
import type { Form } from './form.ts';
import type { TokenGrant } from './token-grant.ts';

/** Registers the route that gives a terminal the codes for its sign-in (RFC 8628 3.1, contract 10.7). */
export function serveDeviceAuthorization(scope: App, context: HttpContext): void {
  const { terminalSignIns } = context.services.modules.accounts.offers;
  handleProtocolRoute(scope, protocolRoutes.deviceAuthorization, (request) => {
    const form = request.body as Form;
    const page = `${addressOf(request, context)}${SITE_PREFIX}/device`;
    const started = terminalSignIns.start(
      {
        clientId: form.get('client_id'),
        clientName: form.get('client_name'),
        scope: form.get('scope'),
        network: networkOf(request),
        sender: senderNetworkOf(request),
      },
      request.from,
    );
    return {
      device_code: started.deviceCode,
      user_code: started.userCode,
      verification_uri: page,
      verification_uri_complete: `${page}?user_code=${started.userCode}`,
      expires_in: started.expiresIn,
      interval: started.interval,
    };
  });
}

/** Returns the grant with which a terminal polls for its credentials (RFC 8628 3.4, contract 10.7). */
export function terminalGrant({ services }: HttpContext): TokenGrant {
  const { terminalSignIns } = services.modules.accounts.offers;
  return {
    type: 'urn:ietf:params:oauth:grant-type:device_code',
    withoutPublicUrl: true,
    isKnown: (form) => terminalSignIns.knows(form.get('device_code') ?? ''),
    answer: async (form, request) => {
      const poll = { clientId: form.get('client_id'), deviceCode: form.get('device_code') };
      const made = await terminalSignIns.redeem(poll, request.from);
      return {
        access_token: made.bearer,
        token_type: 'Bearer',
        expires_in: made.expiresIn,
        access_key: made.accessKey,
        token: made.apiToken,
        token_expires_at: instant(made.apiTokenExpiresAt),
      };
    },
  };
}

function addressOf(request: FastifyRequest, context: HttpContext): string {
  const address = addressFor(request, context);
  if (address === undefined) throw new OAuthRefusal('invalid_request', 'Host is not usable');
  return address;
}
