import { IntrospectToken, RevokeToken } from '@svc/auth-core';
import { roomRoutes } from '@svc/contract';
import type { App, HttpContext } from '../../http/http-context.ts';
import { handleRoom } from '../room.ts';
import type { Form } from './form.ts';

/** Registers the routes that revoke tokens and tell whether a token is valid (contract 10.4). */
export function serveRevocation(scope: App, context: HttpContext): void {
  const { services } = context;
  const revocation = new RevokeToken({
    ...services,
    endLease: (hash, from) => services.leases.endByToken(hash, from),
  });
  const introspection = new IntrospectToken(services);

  // `token_type_hint` is not read, because the form of a token tells its kind (RFC 7009 2.1 allows that).
  handleRoom(scope, context, roomRoutes.oauthRevoke, (request, reply) => {
    revocation.revoke((request.body as Form).required('token'), request.from);
    // RFC 7009 2.2: the status alone is the response.
    return reply.code(200).send();
  });

  handleRoom(scope, context, roomRoutes.oauthIntrospect, (request) =>
    introspection.introspect(request.caller, (request.body as Form).required('token')),
  );
}
