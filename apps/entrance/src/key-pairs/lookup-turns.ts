import { Unavailable } from '@svc/auth-core';

/** Maximum number of look-ups of one sender that are under way. */
const MOST_RUNNING = 16;
/** Maximum number of look-ups of one sender that wait for their turn. */
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
 * Limits the look-ups of each sender, because unauthenticated clients can cause any number of them. Without the limit, a
 * client with invented credentials would leave no room for the look-ups of the others.
 */
export class LookupTurns {
  readonly #senders = new Map<string, OfSender>();

  /**
   * Runs `lookUp` in its turn. When one fails, those of the sender that wait fail with it, so that they do not wait for
   * one time-out after the other. Rejects with `Unavailable` if too many of the sender wait.
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

  /** The next one takes over the place of one that is over. */
  #over(sender: string, turns: OfSender): void {
    const next = turns.waiting.shift();
    if (next !== undefined) next.start();
    else if (turns.running > 1) turns.running -= 1;
    else this.#senders.delete(sender);
  }
}

function turnOf({ waiting }: OfSender): Promise<void> {
  if (waiting.length >= MOST_WAITING) throw new Unavailable('too many keys are being asked about');
  return new Promise((start, fail) => waiting.push({ start, fail }));
}
