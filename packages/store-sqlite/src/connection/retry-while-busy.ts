import { isBusy } from './failures.ts';

const PAUSE_MS = 20;
const TRIES = 100;

/**
 * Repeats `work` for about two seconds while another connection locks the database. SQLite's own `busy_timeout` would
 * block the thread. If the lock belongs to a connection of this process, that connection could then never release it.
 */
export async function retryWhileBusy<T>(work: () => T): Promise<T> {
  for (let left = TRIES; ; left -= 1) {
    try {
      return work();
    } catch (error) {
      if (left === 0 || !isBusy(error)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
