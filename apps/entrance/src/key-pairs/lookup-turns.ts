import { Unavailable } from '@svc/auth-core';

/** Maximum number of look-ups that run at the same time for one sender (client address). */
const MOST_RUNNING = 16;
/** Maximum number of look-ups of one sender (client address) that wait for others to end. */
const MOST_WAITING = 256;

interface Waiting {
  readonly start: () => void;
  readonly fail: (error: unknown) => void;
}

interface OfSender {
  running: number;
  readonly waiting: Waiting[];
}

/**
 * Limits the look-ups for each sender (client address). Without the limit, a client with invented credentials could use
 * all connections that the look-ups for other clients need.
 */
export class LookupTurns {
  readonly #senders = new Map<string, OfSender>();

  /**
   * Runs `lookUp` once fewer than `MOST_RUNNING` look-ups of its sender are under way. If a look-up fails, all waiting
   * look-ups of the same sender fail with it, so that they do not time out one after the other. Rejects with
   * `Unavailable` if too many look-ups of the sender are waiting.
   */
  async run<Answer>(sender: string, lookUp: () => Promise<Answer>): Promise<Answer> {
    const turns = this.#senders.get(sender) ?? { running: 0, waiting: [] };
    this.#senders.set(sender, turns);
    if (turns.running < MOST_RUNNING) turns.running += 1;
    else await turnOf(turns);
    try {
      return await lookUp();
    } catch (error) {
      for (const { fail } of turns.waiting.splice(0)) fail(error);
      throw error;
    } finally {
      this.#over(sender, turns);
    }
  }

  /** Starts the next waiting look-up of the sender after one has ended. */
  #over(sender: string, turns: OfSender): void {
    const next = turns.waiting.shift();
    if (next !== undefined) next.start();
    else if (turns.running > 1) turns.running -= 1;
    else this.#senders.delete(sender);
  }
}

function turnOf({ waiting }: OfSender): Promise<void> {
  if (waiting.length >= MOST_WAITING) throw new Unavailable('too many key pairs are being looked up');
  return new Promise((start, fail) => waiting.push({ start, fail }));
}
