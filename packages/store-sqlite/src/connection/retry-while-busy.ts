import { isBusy } from './failures.ts';

const PAUSE_MS = 20;
const TRIES = 100;

/**
 * Retries until another process has released the database, about ten seconds at most. Not with SQLite's own busy
 * time-out, which blocks the thread: the other connection may be in this process.
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
