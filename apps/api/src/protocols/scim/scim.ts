import { ScimRefusal } from '@svc/accounts';
import type { ScimServer } from '@svc/accounts/scim';
import { PROTOCOL_PREFIXES, type ProtocolRoute, protocolRoutes } from '@svc/contract';
import { identityUrl } from '@svc/settings';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App, HttpContext } from '../../http/http-context.ts';
import { parseBodies } from '../../plugins/bodies.ts';
import { handleProtocolRoute, type Protocol } from '../protocol.ts';
import { SCIM_TYPE } from './scim-errors.ts';

/**
 * Defines the SCIM routes, with which an identity provider creates, changes and removes users (RFC 7644, contract
 * 10.5).
 */
export const scimProtocol: Protocol = {
  prefix: PROTOCOL_PREFIXES.scim,
  errorFormat: 'scim',
  parseBodies: (scope) => parseBodies(scope, ['application/scim+json', 'application/json']),
  serve: serveUsers,
};

type Work = (server: ScimServer, request: Request, reply: FastifyReply) => object | undefined;
type Request = FastifyRequest<{ Params: { id: string }; Querystring: Record<string, unknown> }>;

function serveUsers(scope: App, context: HttpContext): void {
  const serve = server(context);
  const { changes } = context.services.modules.accounts.offers;
  const handle = (route: ProtocolRoute, work: Work) => {
    const handler = async (request: FastifyRequest, reply: FastifyReply) => {
      const answer = work(await serve(), request as Request, reply);
      if (answer === undefined) return reply.code(204).send();
      return reply.header('content-type', SCIM_TYPE).send(JSON.stringify(answer));
    };
    handleProtocolRoute(scope, route, handler);
  };
  /**
   * Wraps `work`. The returned function also publishes that the account has changed, so that the leases of the account
   * are checked again and open pages reload their data.
   */
  const changing =
    (work: Work): Work =>
    (scim, request, reply) => {
      const answer = work(scim, request, reply);
      changes.changed(request.params.id);
      return answer;
    };

  handle(protocolRoutes.scimConfig, (scim) => scim.config());
  handle(protocolRoutes.scimResourceTypes, (scim, { query }) => scim.document('ResourceTypes', query));
  handle(protocolRoutes.scimResourceType, (scim, { query, params }) =>
    scim.document('ResourceTypes', query, params.id),
  );
  handle(protocolRoutes.scimSchemas, (scim, { query }) => scim.document('Schemas', query));
  handle(protocolRoutes.scimSchema, (scim, { query, params }) => scim.document('Schemas', query, params.id));
  handle(protocolRoutes.listScimUsers, (scim, { caller, query }) => scim.list(caller, query));
  handle(protocolRoutes.getScimUser, (scim, { caller, query, params }) =>
    scim.read(caller, params.id, query),
  );
  handle(protocolRoutes.createScimUser, (scim, { caller, body, query }, reply) => {
    const { user, location } = scim.create(caller, body, query);
    reply.code(201).header('location', location);
    return user;
  });
  handle(
    protocolRoutes.replaceScimUser,
    changing((scim, { caller, params, body, query }) => scim.replace(caller, params.id, body, query)),
  );
  handle(
    protocolRoutes.patchScimUser,
    changing((scim, { caller, params, body, query }) => scim.patch(caller, params.id, body, query)),
  );
  handle(
    protocolRoutes.removeScimUser,
    changing((scim, { caller, params }) => {
      scim.remove(caller, params.id);
      return undefined;
    }),
  );
  handle(protocolRoutes.searchScim, () => {
    throw new ScimRefusal(501, undefined, 'Searching all types of resources is not supported');
  });
}

/** Returns a function that loads the SCIM module and creates the SCIM server at its first call. */
function server({ services: { config, modules } }: HttpContext): () => Promise<ScimServer> {
  const { directoryUsers } = modules.accounts.offers;
  const base = `${identityUrl(config)}${PROTOCOL_PREFIXES.scim}`;
  let opened: Promise<ScimServer> | undefined;
  return () => {
    opened ??= import('@svc/accounts/scim').then((module) => new module.ScimServer(directoryUsers, base));
    return opened;
  };
}
