import type { ScimServer } from '@svc/accounts/scim';
import { ScimRefusal } from '@svc/auth-core';
import { ROOM_PREFIXES, type RoomRoute, roomRoutes } from '@svc/contract';
import { identityUrl } from '@svc/settings';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App, HttpContext } from '../../http/http-context.ts';
import { parseBodies } from '../../plugins/bodies.ts';
import { limitRate } from '../../plugins/guard.ts';
import { handleRoom, type Room } from '../room.ts';
import { answerScimRefusal, SCIM_TYPE, sendScimError } from './scim-errors.ts';

/**
 * Defines the SCIM routes, with which an identity provider creates, changes and removes users (RFC 7644, contract
 * 10.5).
 */
export function scimRoom(context: HttpContext): Room {
  return {
    prefix: ROOM_PREFIXES.scim,
    sendError: sendScimError,
    answerOwn: answerScimRefusal,
    parseBodies: (scope) => parseBodies(scope, ['application/scim+json', 'application/json']),
    serve: (scope) => serveUsers(scope, context),
  };
}

type Work = (server: ScimServer, request: Request, reply: FastifyReply) => object | undefined;
type Request = FastifyRequest<{ Params: { id: string }; Querystring: Record<string, unknown> }>;

function serveUsers(scope: App, context: HttpContext): void {
  const serve = server(context);
  const { accountChanged } = context.services;
  const handle = (route: RoomRoute, work: Work) => {
    const handler = async (request: FastifyRequest, reply: FastifyReply) => {
      checkKeyAgain(request, context);
      const answer = work(await serve(), request as Request, reply);
      if (answer === undefined) return reply.code(204).send();
      return reply.header('content-type', SCIM_TYPE).send(JSON.stringify(answer));
    };
    handleRoom(scope, context, route, handler, (request, reply) => checkKey(request, reply, route, context));
  };
  /**
   * Wraps `work`. The returned function also publishes that the account has changed, so that the leases of the account
   * are checked again and open pages reload their data.
   */
  const changing =
    (work: Work): Work =>
    (scim, request, reply) => {
      const answer = work(scim, request, reply);
      accountChanged(request.params.id);
      return answer;
    };

  handle(roomRoutes.scimConfig, (scim) => scim.config());
  handle(roomRoutes.scimResourceTypes, (scim, { query }) => scim.document('ResourceTypes', query));
  handle(roomRoutes.scimResourceType, (scim, { query, params }) =>
    scim.document('ResourceTypes', query, params.id),
  );
  handle(roomRoutes.scimSchemas, (scim, { query }) => scim.document('Schemas', query));
  handle(roomRoutes.scimSchema, (scim, { query, params }) => scim.document('Schemas', query, params.id));
  handle(roomRoutes.listScimUsers, (scim, { caller, query }) => scim.list(caller, query));
  handle(roomRoutes.getScimUser, (scim, { caller, query, params }) => scim.read(caller, params.id, query));
  handle(roomRoutes.createScimUser, (scim, { caller, body, query }, reply) => {
    const { user, location } = scim.create(caller, body, query);
    reply.code(201).header('location', location);
    return user;
  });
  handle(
    roomRoutes.replaceScimUser,
    changing((scim, { caller, params, body, query }) => scim.replace(caller, params.id, body, query)),
  );
  handle(
    roomRoutes.patchScimUser,
    changing((scim, { caller, params, body, query }) => scim.patch(caller, params.id, body, query)),
  );
  handle(
    roomRoutes.removeScimUser,
    changing((scim, { caller, params }) => {
      scim.remove(caller, params.id);
      return undefined;
    }),
  );
  handle(roomRoutes.searchScim, () => {
    throw new ScimRefusal(501, undefined, 'Searching all types of resources is not supported');
  });
}

/** Returns a function that loads the SCIM module and creates the SCIM server at its first call. */
function server({ services: { config, directoryUsers } }: HttpContext): () => Promise<ScimServer> {
  const base = `${identityUrl(config)}${ROOM_PREFIXES.scim}`;
  let opened: Promise<ScimServer> | undefined;
  return () => {
    opened ??= import('@svc/accounts/scim').then((module) => new module.ScimServer(directoryUsers, base));
    return opened;
  };
}

/** Checks the SCIM key of the request, its rate limit, and that its owner is a Super admin. */
async function checkKey(
  request: FastifyRequest,
  reply: FastifyReply,
  { category }: RoomRoute,
  context: HttpContext,
): Promise<void> {
  const { scimAuthenticator, directoryUsers } = context.services;
  const caller = await scimAuthenticator.authenticate(request.presented, request.from);
  request.sender = { kind: 'caller', caller, ticket: null };
  limitRate(caller, reply, context, category);
  directoryUsers.checkCaller(caller);
}

/** Checks the SCIM key and its owner again, because they may have changed while the body was read. */
function checkKeyAgain({ caller }: FastifyRequest, { services }: HttpContext): void {
  services.scimAuthenticator.checkStillGood(caller);
  services.directoryUsers.checkCaller(caller);
}
