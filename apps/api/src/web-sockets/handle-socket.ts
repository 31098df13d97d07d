import { type CheckedTicket, Refusal } from '@svc/auth-core';
import { API_PREFIX, type ParamsOf, type QueryOf, type Route } from '@svc/contract';
import type { FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { schemaOf } from '../handle.ts';
import type { App, HttpContext } from '../http-context.ts';
import { isWholeHandshake } from './handshake.ts';
import { isUpgrade } from './upgrades.ts';

type SocketRequest<R extends Route> = FastifyRequest<{ Params: ParamsOf<R>; Querystring: QueryOf<R> }>;

interface SocketHandler<R extends Route, Admitted> {
  /** Runs before the upgrade: what it throws is answered with a bare status. Spends nothing. */
  admit(request: SocketRequest<R>): Admitted | Promise<Admitted>;
  /** The socket is open. It never throws; closing and asking again are its business (`OpenConnections`). */
  open(socket: WebSocket, admitted: Admitted): void;
}

/**
 * Registers a WebSocket route of the contract below `/svc/api`, opened by a ticket that is spent last of all (null:
 * by what `admit` has spent itself). A plain request to its address is refused.
 */
export function handleSocket<R extends Route, Admitted extends { readonly ticket: CheckedTicket | null }>(
  api: App,
  { upgrades, services }: HttpContext,
  route: R,
  { admit, open }: SocketHandler<NoInfer<R>, Admitted>,
): void {
  const { path, access } = route;
  upgrades.add(`${API_PREFIX}${path}`);
  api.route({
    method: 'GET',
    url: path,
    exposeHeadRoute: false,
    config: { access },
    schema: schemaOf(route),
    handler: async (request, reply) => {
      if (!isUpgrade(request.raw)) {
        // Whoever asks has shown no credential, and a ticket is not looked at for this.
        throw new Refusal('invalid ticket', 'no upgrade', { message: 'Open this address as a WebSocket.' });
      }
      const admitted = await admit(request as SocketRequest<R>);
      // It would be refused, and its ticket be gone.
      if (!isWholeHandshake(request.raw)) throw new Refusal('bad_request', 'no WebSocket handshake');
      if (admitted.ticket !== null) services.tickets.spend(admitted.ticket);
      reply.hijack();
      upgrades.accept(request.raw, reply.raw, (socket) => open(socket, admitted));
    },
  });
}
