import { Readable } from 'node:stream';
import type { Caller } from '@svc/auth-core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Transfer, Transfers } from '../apps/transfers.ts';
import { type ReadPlace, ReadPlaces } from './read-places.ts';
import { WorkTurns } from './work-turns.ts';

/** Number of characters up to which a response is sent in one piece. */
const SMALL = 64 * 1024;
/** Time without progress after which a response is aborted (ms). */
const IDLE_MS = 30_000;

type Texts = Iterable<string> | AsyncIterable<string>;

/** A response whose size grows with stored data. */
interface LargeRead {
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Reads the data and returns the body in texts. Called when the read has its place. */
  readonly texts: () => Texts | Promise<Texts>;
  /** Returns why the caller may no longer read, or null if they may. Asked again while the response is sent. */
  readonly refusal: (caller: Caller) => string | null;
}

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

  /** Sends a large response. Reads of the hub need no place, because the hub limits them itself. */
  async send(request: FastifyRequest, reply: FastifyReply, read: LargeRead): Promise<FastifyReply> {
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

  /** Sends an array as JSON, one item after the other. */
  sendList(
    request: FastifyRequest,
    reply: FastifyReply,
    items: () => Iterable<unknown>,
    refusal: (caller: Caller) => string | null,
  ): Promise<FastifyReply> {
    return this.send(request, reply, { type: JSON_TYPE, texts: () => jsonArray(items()), refusal });
  }

  /** Runs a read that is not sent as a list, such as one of an agent's tool. */
  async within<T>(caller: Caller, gone: AbortSignal, work: (turns: WorkTurns) => Promise<T>): Promise<T> {
    const place = await this.#places.enter(caller.account.id, gone);
    try {
      return await work(this.turns);
    } finally {
      place.leave();
    }
  }

  async #enter(
    { sender, caller }: FastifyRequest,
    { raw }: FastifyReply,
    refusal: LargeRead['refusal'],
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

export const JSON_TYPE = 'application/json; charset=utf-8';

export function* jsonArray(items: Iterable<unknown>): Generator<string, void, undefined> {
  let before = '[';
  for (const item of items) {
    yield before + JSON.stringify(item);
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
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
