import { type ClientClock, systemClock } from './clock.ts';
import { SvcError } from './error.ts';

export interface RenewedBearerOptions {
  /**
   * Requests a new token with another credential, which must stay valid for all later renewals, such as a key pair.
   * `expiresIn` is the lifetime of the token in seconds (specification 5.3).
   */
  readonly issue: () => Promise<{ readonly token: string; readonly expiresIn: number }>;
  readonly clock?: ClientClock;
}

interface Held {
  readonly token: string;
  readonly renewAt: number;
  readonly endsAt: number;
}

/** A token is renewed when a quarter of its life is left, but at most this long (ms) before it expires. */
const MOST_AHEAD_MS = 300_000;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;

/**
 * A bearer token that is renewed before it expires. At most one request for a token runs at a time. If a renewal fails,
 * it is retried with growing delays while the old token is valid; after the expiry, each call of `ready` tries again.
 */
export class RenewedBearer {
  readonly #issue: RenewedBearerOptions['issue'];
  readonly #clock: ClientClock;
  #held: Held | undefined;
  #renewing: Promise<Held> | undefined;
  #failures = 0;
  #cancel: (() => void) | undefined;
  #stopped = false;

  constructor({ issue, clock = systemClock }: RenewedBearerOptions) {
    this.#issue = issue;
    this.#clock = clock;
  }

  current(): string {
    const held = this.#valid();
    if (held === undefined) throw ended(this.#held === undefined);
    // The renewal timer is late if the machine slept, so this method also starts a renewal that is due.
    if (this.#clock.now() >= held.renewAt && this.#failures === 0) this.#renewQuietly();
    return held.token;
  }

  async ready(): Promise<string> {
    const held = this.#valid();
    if (held === undefined) return (await this.#renew()).token;
    if (this.#clock.now() < held.renewAt || this.#failures > 0) return held.token;
    return this.#renew().then(
      (renewed) => renewed.token,
      (error) => {
        if (this.#valid() === undefined) throw error;
        return held.token;
      },
    );
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  #valid(): Held | undefined {
    return this.#held !== undefined && this.#clock.now() < this.#held.endsAt ? this.#held : undefined;
  }

  #renew(): Promise<Held> {
    this.#renewing ??= this.#request().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  #renewQuietly(): void {
    this.#renew().catch(() => {});
  }

  async #request(): Promise<Held> {
    // The lifetime is counted from the time before the request, so that a slow response does not make the token seem
    // valid for longer.
    const asked = this.#clock.now();
    try {
      const { token, expiresIn } = await this.#issue();
      const life = expiresIn * 1000;
      const endsAt = asked + life;
      const held = { token, endsAt, renewAt: endsAt - Math.min(MOST_AHEAD_MS, life / 4) };
      this.#held = held;
      this.#failures = 0;
      this.#schedule(held.renewAt - this.#clock.now());
      return held;
    } catch (error) {
      this.#failures += 1;
      this.#schedule(Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (this.#failures - 1)));
      throw error;
    }
  }

  #schedule(ms: number): void {
    this.#cancel?.();
    if (this.#stopped) return;
    this.#cancel = this.#clock.after(Math.max(0, ms), () => {
      const early =
        this.#failures === 0 && this.#held !== undefined && this.#held.renewAt - this.#clock.now();
      if (early && early > 0) this.#schedule(early);
      else this.#renewQuietly();
    });
  }
}

function ended(neverAsked: boolean): SvcError {
  const message = neverAsked
    ? 'There is no bearer token yet: await ready() before the first command'
    : 'The bearer token has ended and could not be renewed';
  return new SvcError({ status: 0, code: 'bearer_ended', requestId: null, message });
}
