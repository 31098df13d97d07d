import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { takeProcessLock } from '@svc/store-sqlite';

const PATIENCE_MS = 5_000;
const PAUSE_MS = 25;

/** One writer of the key files at a time: the server, or a command beside it. Ends with its process, SIGKILL included. */
export async function withKeyLock<T>(dataDir: string, work: () => T | Promise<T>): Promise<T> {
  const file = join(dataDir, 'signing-keys.lock');
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const lock = takeProcessLock(file);
    if (lock !== null) {
      try {
        return await work();
      } finally {
        lock.release();
      }
    }
    if (performance.now() > until) throw new Error('another process is changing the signing keys');
    await pause(PAUSE_MS);
  }
}
