import { Refusal } from '@svc/auth-core';
import { API_PREFIX, type ParamsOf, type QueryOf, type Route } from '@svc/contract';
import type { FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { spendTicket } from '../admission/spend-ticket.ts';
import { schemaOf } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';
import { isWholeHandshake } from './handshake.ts';

type SocketRequest<R extends Route> = FastifyRequest<{ Params: ParamsOf<R>; Querystring: QueryOf<R> }>;

interface SocketHandler<R extends Route, Admitted> {
  /**
   * Checks the request before the upgrade. If this throws or rejects, the client gets the status of the refusal without
   * a body.
   */
  admit(request: SocketRequest<R>): Admitted | Promise<Admitted>;
  /**
   * Called when the socket is open. Must not throw. The function must add the socket to `OpenConnections`, so that its
   * caller is checked again at intervals, and is responsible for closing the socket.
   */
  open(socket: WebSocket, admitted: Admitted): void;
  /** True if clients send data over the socket, so that its messages are neither small nor few. */
  readonly carriesData?: boolean;
}

/**
 * Registers a WebSocket route of the contract below `/svc/api`, whose requests contain a single-use ticket in place of
 * a credential. The ticket is spent after all other checks, so that the client can use it again after a refused
 * upgrade. The guard refuses a request that is not an upgrade.
 */
export function handleSocket<R extends Route, Admitted>(
  api: App,
  { upgrades, services }: HttpContext,
  route: R,
  { admit, open, carriesData = false }: SocketHandler<NoInfer<R>, Admitted>,
): void {
  const { path, access } = route;
  upgrades.add(`${API_PREFIX}${path}`);
  api.route({
    method: 'GET',
    url: path,
    exposeHeadRoute: false,
    config: { access, upgradeOnly: true },
    schema: schemaOf(route),
    handler: async (request, reply) => {
      const admitted = await admit(request as SocketRequest<R>);
      if (!isWholeHandshake(request.raw)) throw new Refusal('bad_request', 'no WebSocket handshake');
      spendTicket(request, services.tickets);
      reply.hijack();
      upgrades.accept(request.raw, reply.raw, (socket) => open(socket, admitted), carriesData);
    },
  });
}
