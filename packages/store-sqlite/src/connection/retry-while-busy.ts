import { isBusy } from './failures.ts';

const PAUSE_MS = 20;
const TRIES = 100;

/**
 * Until another process has let go of the database, some ten seconds at most. Not by SQLite's own busy time-out: that
 * one blocks the thread, and the other connection may need it.
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
