import { type Route, routes } from '@svc/contract';
import type { ClientConnection, Handler, Handlers } from '@svc/module';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { LargeReads } from '../reads/large-reads.ts';
import { handle } from './handle.ts';
import type { App } from './http-context.ts';

// The types of a handler follow from its route. They are lost in a loop over all routes.
type AnyHandler = Exclude<Handler<Route>, (...args: never) => unknown> & {
  readonly answer?: (request: unknown, connection: ClientConnection) => unknown;
  readonly list?: (request: unknown) => Iterable<unknown>;
  readonly page?: (request: unknown) => { readonly items: Iterable<unknown>; readonly next: string | null };
};

/** Registers the routes of a module. The guard has checked each request before its handler runs. */
export function serveHandlers(api: App, handlers: Handlers, reads: LargeReads): void {
  for (const [name, handler] of Object.entries(handlers)) {
    const { authorize, ...how } = (
      typeof handler === 'function' ? { answer: handler } : handler
    ) as AnyHandler;
    const route = routes[name as keyof typeof routes] as Route;
    handle(api, route, answering(route, how, reads) as never, {
      ...(authorize === undefined ? {} : { authorizeResource: authorize as never }),
    });
  }
}

function answering(route: Route, { answer, list, page }: AnyHandler, reads: LargeReads) {
  if (list !== undefined)
    return (request: FastifyRequest, reply: FastifyReply) =>
      reads.sendList({ request, reply }, route as never, list(request) as never);
  if (page !== undefined)
    return (request: FastifyRequest, reply: FastifyReply) => {
      const { items, next } = page(request);
      return reads.sendPage({ request, reply }, route as never, items as never, next);
    };
  return (request: FastifyRequest, reply: FastifyReply) => answer?.(request, new Connection(reply));
}

class Connection implements ClientConnection {
  readonly #reply: FastifyReply;

  constructor(reply: FastifyReply) {
    this.#reply = reply;
  }

  get gone(): AbortSignal {
    const left = new AbortController();
    this.#reply.raw.once('close', () => left.abort());
    return left.signal;
  }
}
