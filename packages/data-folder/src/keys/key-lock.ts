import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { takeProcessLock } from '@svc/store-sqlite';

const PATIENCE_MS = 5_000;
const PAUSE_MS = 25;

/**
 * Runs `work` while no other process (the server or a command) writes the key files. The lock is released when its
 * process ends, even if the process is killed.
 */
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
