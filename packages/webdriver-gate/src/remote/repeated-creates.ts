import type { IncomingMessage } from 'node:http';
import type { Clock } from '@svc/auth-core';
import { type Admission, ClientLeft, NO_PATIENCE, type Patience, type Reservation } from '@svc/device-lab';
import { boundIdempotencyKey } from '../forward.ts';
import type { CreatePlaces, RemoteCreated } from './create-places.ts';

/**
 * Result of a create-session request. `here` means that this server's own automation server handles the request,
 * including repeated ones.
 */
type Outcome = 'here' | { readonly created: RemoteCreated } | { readonly refused: unknown };

interface Known {
  readonly outcome: Promise<Outcome>;
  readonly at: number;
}

/**
 * Limits on the stored responses: their number, their age in milliseconds, and the size of each in bytes. Appium has
 * the same limits.
 */
const MOST = 64;
const REMEMBERED_MS = 30 * 60 * 1000;
const LARGEST_ANSWER = 1024 * 1024;

/**
 * Implements `X-Idempotency-Key` for create-session requests that run on other servers. If a caller repeats a
 * create-session request with the same key, it gets the response to the first request, and no second session starts.
 * The automation server does this itself for the requests that it handles, but it does not see requests that run on
 * other servers.
 */
export class RepeatedCreates implements CreatePlaces {
  readonly #places: CreatePlaces;
  readonly #clock: Clock;
  /**
   * Results of create-session requests, most recently used last. The key of the map is a hash of the idempotency key
   * and the caller.
   */
  readonly #known = new Map<string, Known>();

  constructor(places: CreatePlaces, clock: Clock) {
    this.#places = places;
    this.#clock = clock;
  }

  async place(
    req: IncomingMessage,
    body: Readonly<Record<string, unknown>>,
    admission: Admission,
    patience: Patience = NO_PATIENCE,
    gone?: AbortSignal,
  ): Promise<RemoteCreated | Reservation | null> {
    const key = boundIdempotencyKey(req, admission.caller?.account.id);
    if (key === undefined) return await this.#places.place(req, body, admission, patience, gone);
    for (;;) {
      const before = this.#recall(key);
      if (before === undefined) break;
      const outcome = await before;
      // If the client of the first request disconnected before it had its session, run this request instead.
      if (!hasLeft(outcome)) return answerOf(outcome);
      if (this.#known.get(key)?.outcome === before) this.#known.delete(key);
    }
    const placing = this.#places.place(req, body, admission, patience, gone);
    this.#remember(
      key,
      placing.then(outcomeOf, (refused: unknown) => ({ refused })),
    );
    return await placing;
  }

  #recall(key: string): Promise<Outcome> | undefined {
    const now = this.#clock.now();
    const known = this.#known.get(key);
    this.#known.delete(key);
    if (known === undefined || Math.abs(now - known.at) >= REMEMBERED_MS) return undefined;
    this.#known.set(key, { ...known, at: now });
    return known.outcome;
  }

  #remember(key: string, outcome: Promise<Outcome>): void {
    this.#known.set(key, { outcome, at: this.#clock.now() });
    for (const [oldest] of this.#known) {
      if (this.#known.size <= MOST) break;
      this.#known.delete(oldest);
    }
    void outcome.then((known) => {
      const isLarge =
        typeof known === 'object' && 'created' in known && known.created.answer.length > LARGEST_ANSWER;
      if (isLarge && this.#known.get(key)?.outcome === outcome) this.#known.delete(key);
    });
  }
}

function hasLeft(outcome: Outcome): boolean {
  return typeof outcome === 'object' && 'refused' in outcome && outcome.refused instanceof ClientLeft;
}

function outcomeOf(place: RemoteCreated | Reservation | null): Outcome {
  return place !== null && 'answer' in place ? { created: place } : 'here';
}

function answerOf(outcome: Outcome): RemoteCreated | null {
  if (outcome === 'here') return null;
  if ('refused' in outcome) throw outcome.refused;
  return { ...outcome.created, isRepeated: true };
}
