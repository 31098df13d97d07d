import { availableParallelism } from 'node:os';
import type { HasherPool } from '@svc/accounts';
import type { Piscina } from 'piscina';
import { HASHING_WORKER } from '../runtime/resources.ts';
import { HashingQueue } from './hashing-queue.ts';

/**
 * Maximum number of waiting hashes per thread. It applies separately to known senders, such as signed-in callers, and
 * to unknown senders. At bcrypt cost 12, the last hash of a full queue waits four seconds.
 */
const WAITING_PER_THREAD = 16;
const WAITING_PER_SENDER = 12;

/** Runs bcryptjs in worker threads, so that hashing never blocks a response. */
export function createHasherPool(cost: number): HasherPool {
  const threads = Math.max(1, availableParallelism() - 1);
  let opened: Promise<Piscina> | undefined;
  // The threads are created for the first password, because a server can run for days before it hashes one.
  const run = async (task: object) => {
    opened ??= import('piscina').then(
      ({ Piscina: Pool }) =>
        new Pool({
          filename: HASHING_WORKER.href,
          minThreads: 0,
          maxThreads: threads,
          idleTimeout: 1_000,
        }),
    );
    return await (await opened).run(task);
  };
  const queue = new HashingQueue({
    running: threads,
    waiting: threads * WAITING_PER_THREAD,
    perSender: threads * WAITING_PER_SENDER,
  });
  return {
    hash: (password, place) => queue.run(() => run({ kind: 'hash', password, cost }), place),
    matches: (password, hash, { place, workCost = 0 } = {}) =>
      queue.run(() => run({ kind: 'matches', password, hash, workCost }), place),
    get depth() {
      return queue.depth;
    },
    close: async () => {
      await (await opened)?.destroy();
    },
  };
}
