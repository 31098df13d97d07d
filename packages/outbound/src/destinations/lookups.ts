import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';

/** Resolves a host name to all of its addresses. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

/**
 * Maximum number of look-ups at the same time. Each look-up blocks one of Node's four worker threads until the name
 * server answers, and Node needs these threads for reading files too.
 */
const MOST_AT_ONCE = 2;

/** Resolves names by the system's own rules, including `/etc/hosts`. Results are not cached. */
export class Lookups {
  readonly #resolve: Resolve;
  readonly #waiting: (() => void)[] = [];
  #underway = 0;

  constructor(resolve: Resolve = (hostname) => lookup(hostname, { all: true, order: 'verbatim' })) {
    this.#resolve = resolve;
  }

  /**
   * Resolves to all addresses of a name. Rejects if the name has no address, or when `signal` aborts because the caller
   * has stopped waiting.
   */
  async addressesOf(hostname: string, signal: AbortSignal): Promise<readonly LookupAddress[]> {
    await this.#turn(signal);
    const looking = this.#resolve(hostname).finally(() => this.#done());
    return await Promise.race([looking, abortion(signal)]);
  }

  async #turn(signal: AbortSignal): Promise<void> {
    if (this.#underway < MOST_AT_ONCE) {
      this.#underway += 1;
      return;
    }
    let place: (() => void) | undefined;
    const turn = new Promise<void>((take) => {
      place = take;
      this.#waiting.push(take);
    });
    try {
      await Promise.race([turn, abortion(signal)]);
    } catch (error) {
      const at = this.#waiting.indexOf(place as () => void);
      // If this look-up is no longer in the queue, it got its turn at the same time as the abort and will not use it.
      // Pass the turn on to the next look-up.
      if (at === -1) this.#done();
      else this.#waiting.splice(at, 1);
      throw error;
    }
  }

  #done(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#underway -= 1;
    else next();
  }
}

function abortion(signal: AbortSignal): Promise<never> {
  return new Promise((_, stop) => {
    const stopped = () => stop(signal.reason);
    if (signal.aborted) stopped();
    else signal.addEventListener('abort', stopped, { once: true });
  });
}
