import { isBusy } from './failures.ts';

const PAUSE_MS = 20;
const TRIES = 100;

/**
 * Retries while another process holds the database. Not by SQLite's `busy_timeout`, which blocks the thread: another
 * connection of this process may need it to go on.
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
