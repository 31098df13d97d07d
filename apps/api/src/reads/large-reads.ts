import { Readable } from 'node:stream';
import { type Caller, mayAccess } from '@svc/auth-core';
import type { Route, TSchema } from '@svc/contract';
import { type ItemOf, JSON_TYPE, type LargeAnswer, type PageItemOf } from '@svc/module';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Transfer, Transfers } from '../clients/transfers.ts';
import { type ReadPlace, ReadPlaces } from './read-places.ts';
import { WorkTurns } from './work-turns.ts';

/** Number of characters up to which a response is sent in one piece. */
const SMALL = 64 * 1024;
/** Time without progress after which a response is aborted (ms). */
const IDLE_MS = 30_000;

/**
 * Sends responses whose size grows with stored data, so that neither one of them nor many stop other requests: they are
 * made in slices (see `WorkTurns`), and only a few of an account and of all accounts run at a time (see `ReadPlaces`).
 */
export class LargeReads {
  readonly turns = new WorkTurns();
  readonly #places = new ReadPlaces();
  readonly #transfers: Transfers;

  constructor(transfers: Transfers) {
    this.#transfers = transfers;
  }

  /**
   * Sends a large response. Reads of the hub need no place, because the hub limits them itself.
   * @returns what a handler of any route can return, because the response is sent here
   */
  async send(request: FastifyRequest, reply: FastifyReply, read: LargeAnswer): Promise<never> {
    return (await this.#send(request, reply, read)) as never;
  }

  async #send(request: FastifyRequest, reply: FastifyReply, read: LargeAnswer): Promise<FastifyReply> {
    const { type, headers = {} } = read;
    const open = () => reply.headers({ ...headers, 'content-type': type });
    if (request.method === 'HEAD') return open().send(Readable.from([]));
    const running = await this.#enter(request, reply, read.refusal).catch((error: unknown) => {
      if (reply.raw.destroyed) return null;
      throw error;
    });
    if (running === null) return reply.hijack();
    const end = () => {
      running.place?.leave();
      running.transfer?.done();
    };
    try {
      const texts = await read.texts();
      const pieces = Symbol.asyncIterator in texts ? texts : this.turns.pieces(texts);
      const iterator = pieces[Symbol.asyncIterator]();
      // Make the first pieces before the response begins: an error gets its status, and a small response its length.
      const start: string[] = [];
      let size = 0;
      let isDone = false;
      while (!isDone && size < SMALL) {
        const next = await iterator.next();
        isDone = next.done === true;
        if (next.done !== true) {
          start.push(next.value);
          size += next.value.length;
        }
      }
      if (isDone) {
        running.transfer?.check();
        end();
        // Fastify would add a charset to the content type of a text.
        return open().send(Buffer.from(start.join('')));
      }
      const content = Readable.from(rest(start, iterator, running.place), { objectMode: false });
      content.once('close', end);
      running.transfer?.signal.addEventListener('abort', () => reply.raw.destroy());
      reply.raw.setTimeout(IDLE_MS, () => reply.raw.destroy());
      return open().send(content);
    } catch (error) {
      end();
      throw error;
    }
  }

  /**
   * Sends the items of a list, one after the other, with the fields that the schema of the route declares. An item that
   * is undefined is left out; it marks a step after which other requests may run.
   */
  sendList<R extends ListRoute>(
    { request, reply }: Exchange,
    route: R,
    items: Iterable<ItemOf<R> | undefined>,
    refusal?: LargeAnswer['refusal'],
  ): Promise<never> {
    const texts = textsOf(items, serializerOf(reply, route.responses[200]));
    return this.#sendMade({ request, reply }, route, joined('[', texts, ']'), refusal);
  }

  /** Sends a page of a list as `sendList` does: an object with its items and the id at which the next page begins. */
  sendPage<R extends PageRoute>(
    { request, reply }: Exchange,
    route: R,
    items: Iterable<PageItemOf<R> | undefined>,
    next: string | null,
  ): Promise<never> {
    const texts = textsOf(items, serializerOf(reply, route.responses[200].properties.items));
    const end = `],"next":${JSON.stringify(next)}}`;
    return this.#sendMade({ request, reply }, route, joined('{"items":[', texts, end));
  }

  /**
   * Sends texts that need no preparation. Most lists are short: if their first slice is the whole response, they need
   * no place, so that they do not wait for the large reads of others.
   */
  async #sendMade(
    { request, reply }: Exchange,
    { access }: Route,
    texts: Generator<string, void, undefined>,
    refusal: LargeAnswer['refusal'] = () => null,
  ): Promise<never> {
    const whole = (content: Readable | Buffer) =>
      reply.header('content-type', JSON_TYPE).send(content) as never;
    if (request.method === 'HEAD') return whole(Readable.from([]));
    const first = await this.turns.piece(texts);
    if (first.isDone) return whole(Buffer.from(first.text));
    const began = request.caller;
    return await this.send(request, reply, {
      type: JSON_TYPE,
      texts: () => joined(first.text, texts, ''),
      refusal: (now) => {
        if (!mayAccess(now, access)) return 'the caller may no longer read the list';
        return seesAsMuch(now, began) ? refusal(now) : 'the rights of the caller have changed';
      },
    });
  }

  /** Runs a read that is not sent as a list, such as one of an agent's tool. */
  async within<T>(caller: Caller, gone: AbortSignal, work: () => Promise<T>): Promise<T> {
    const place = await this.#places.enter(caller.account.id, gone);
    try {
      return await work();
    } finally {
      place.leave();
    }
  }

  async #enter(
    { sender, caller }: FastifyRequest,
    { raw }: FastifyReply,
    refusal: LargeAnswer['refusal'],
  ): Promise<{ readonly place: ReadPlace | null; readonly transfer: Transfer | null }> {
    if (sender.kind === 'hub') return { place: null, transfer: null };
    const transfer = this.#transfers.begin(caller, refusal);
    const gone = new AbortController();
    const leave = () => gone.abort(new Error('the client disconnected'));
    raw.once('close', leave);
    transfer.signal.addEventListener('abort', () => gone.abort(transfer.signal.reason));
    try {
      const place = await this.#places.enter(caller.account.id, gone.signal);
      try {
        transfer.check();
      } catch (error) {
        place.leave();
        throw error;
      }
      return { place, transfer };
    } catch (error) {
      transfer.done();
      throw error;
    } finally {
      raw.off('close', leave);
    }
  }
}

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** A route whose response is an array. */
type ListRoute = Route & { readonly responses: { readonly 200: TSchema & { readonly items: TSchema } } };
/** A route whose response is an object with the array `items` and the text `next`. */
type PageRoute = Route & {
  readonly responses: {
    readonly 200: TSchema & {
      readonly properties: { readonly items: TSchema & { readonly items: TSchema } };
    };
  };
};

/** Returns a function that turns an item into JSON with the fields that the schema of the array declares. */
function serializerOf(
  reply: FastifyReply,
  { items }: { readonly items: TSchema },
): (item: unknown) => string {
  return (item) =>
    String(reply.serializeInput(item as Record<string, unknown>, items as Record<string, unknown>));
}

/** Tells whether the caller still has the role, scopes and teams that decided which items the list contains. */
function seesAsMuch(now: Caller, before: Caller): boolean {
  const teams = ({ account }: Caller) => account.teams.map(({ id }) => id).join();
  return (
    now.account.role === before.account.role && now.scopes === before.scopes && teams(now) === teams(before)
  );
}

function* textsOf(items: Iterable<unknown>, serialize: (item: unknown) => string): Generator<string, void> {
  let before = '';
  for (const item of items) {
    if (item === undefined) {
      yield '';
      continue;
    }
    yield before + serialize(item);
    before = ',';
  }
}

function* joined(start: string, texts: Iterable<string>, end: string): Generator<string, void, undefined> {
  yield start;
  yield* texts;
  yield end;
}

/** Yields the remaining pieces. The read is parked while its client does not take the next piece. */
async function* rest(
  start: readonly string[],
  iterator: AsyncIterator<string>,
  place: ReadPlace | null,
): AsyncGenerator<string, void, undefined> {
  try {
    for (const piece of start) yield* given(piece, place);
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next())
      yield* given(next.value, place);
  } finally {
    await iterator.return?.();
  }
}

function* given(piece: string, place: ReadPlace | null): Generator<string, void, undefined> {
  place?.setParked(true);
  yield piece;
  place?.setParked(false);
}
