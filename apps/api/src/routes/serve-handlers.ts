import { type Route, routes } from '@svc/contract';
import type { FileAnswer, Handlers, HandlerTools, LargeAnswer, RouteLimit } from '@svc/module';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { addressFor } from '../http/address-for.ts';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';
import { localOriginOf } from '../http/local-origin.ts';
import { limitedBy } from '../plugins/attempt-limits.ts';

type Every<Return> = (request: FastifyRequest, tools: HandlerTools) => Return;

/** A handler of any route. Its types follow from its route, and are lost in a loop over all routes. */
interface AnyHandler {
  readonly authorize?: never;
  readonly limit?: RouteLimit;
  readonly answer?: Every<unknown>;
  readonly file?: Every<FileAnswer | Promise<FileAnswer>>;
  readonly large?: Every<LargeAnswer>;
  readonly list?: Every<Iterable<never>>;
  readonly page?: Every<{ readonly items: Iterable<never>; readonly next: string | null }>;
}

/**
 * Registers the routes of a module, with `pause` after each. The guard has checked each request before its handler runs.
 */
export async function serveHandlers(
  api: App,
  handlers: Handlers,
  context: HttpContext,
  pause: () => Promise<void> | undefined,
): Promise<void> {
  for (const [name, handler] of Object.entries(handlers)) {
    const { authorize, limit, ...how } = (
      typeof handler === 'function' ? { answer: handler } : handler
    ) as AnyHandler;
    const route: Route = routes[name as keyof typeof routes];
    handle(api, route, answering(route, how, context) as never, {
      ...(authorize === undefined ? {} : { authorizeResource: authorize }),
      ...(limit === undefined ? {} : { rateLimit: limitedBy(limit.attempts, limit.refusal, limit.key) }),
    });
    await pause();
  }
}

function answering(route: Route, { answer, file, large, list, page }: AnyHandler, context: HttpContext) {
  const { reads } = context;
  const toolsOf = (reply: FastifyReply) => new Tools(reply, context);
  const sender = <Result>(make: Every<Result> | undefined, send: Send<Result>) =>
    make === undefined
      ? undefined
      : async (request: FastifyRequest, reply: FastifyReply) =>
          await send(await make(request, toolsOf(reply)), { request, reply });
  return (
    sender(list, (items, exchange) => reads.sendList(exchange, route as never, items)) ??
    sender(page, ({ items, next }, exchange) => reads.sendPage(exchange, route as never, items, next)) ??
    sender(large, (read, { request, reply }) => reads.send(request, reply, read)) ??
    sender(file, async (made, { reply }) => {
      const { type, headers = {}, content } = await made;
      return reply.headers({ ...headers, 'content-type': type }).send(content);
    }) ??
    ((request: FastifyRequest, reply: FastifyReply) => answer?.(request, toolsOf(reply)))
  );
}

type Send<Result> = (
  result: Result,
  exchange: { readonly request: FastifyRequest; readonly reply: FastifyReply },
) => unknown;

class Tools implements HandlerTools {
  readonly turns: HandlerTools['turns'];
  readonly #reply: FastifyReply;
  readonly #context: HttpContext;

  constructor(reply: FastifyReply, context: HttpContext) {
    this.#reply = reply;
    this.#context = context;
    this.turns = context.reads.turns;
  }

  get gone(): AbortSignal {
    const left = new AbortController();
    this.#reply.raw.once('close', () => left.abort());
    return left.signal;
  }

  get address(): string | undefined {
    return addressFor(this.#reply.request, this.#context);
  }

  get localOrigin(): string | null {
    return localOriginOf(this.#reply.request.raw.socket);
  }
}
