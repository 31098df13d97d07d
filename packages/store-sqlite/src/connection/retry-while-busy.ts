import { isBusy } from './failures.ts';

const PAUSE_MS = 20;
const TRIES = 100;

/**
 * Repeats `work` for about two seconds while another connection holds the database. SQLite's own `busy_timeout` would
 * block the thread, but another connection of this process may have to continue before the lock is released.
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
