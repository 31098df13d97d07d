import { IntrospectToken, RevokeToken } from '@svc/accounts';
import { protocolRoutes } from '@svc/contract';
import type { App, HttpContext } from '../../http/http-context.ts';
import { handleProtocolRoute } from '../protocol.ts';
import type { Form } from './form.ts';

/** Registers the routes that revoke tokens and that report whether a token is valid (contract 10.4). */
export function serveRevocation(scope: App, context: HttpContext): void {
  const { services } = context;
  const leases = services.modules.lab?.offers.leases;
  const revocation = new RevokeToken({
    ...services,
    cascade: services.modules.accounts.offers.cascade,
    endLease: (hash, from) => leases?.endByToken(hash, from) ?? false,
  });
  const introspection = new IntrospectToken({
    ...services,
    leaseOf: (hash) => leases?.byToken(hash),
  });

  // Ignore `token_type_hint`, because the text of a token already shows its kind (RFC 7009 2.1 allows this).
  handleProtocolRoute(scope, protocolRoutes.oauthRevoke, (request, reply) => {
    revocation.revoke((request.body as Form).token(), request.from);
    // The response has no body, because clients only read the status (RFC 7009 2.2).
    return reply.code(200).send();
  });

  handleProtocolRoute(scope, protocolRoutes.oauthIntrospect, (request) =>
    introspection.introspect(request.caller, (request.body as Form).token()),
  );
}
