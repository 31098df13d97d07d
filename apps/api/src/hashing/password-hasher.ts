import { availableParallelism } from 'node:os';
import { type PasswordHasher, Refusal } from '@svc/auth-core';
import { Piscina } from 'piscina';

/** Hashes that may wait per thread; at cost 12 the last one waits about four seconds. */
const QUEUE_PER_THREAD = 16;

export interface HasherPool extends PasswordHasher {
  close(): Promise<void>;
}

/**
 * bcryptjs in worker threads, so that hashing never blocks an answer. The queue is bounded: beyond it sign-ins get
 * a quick 503 instead of a wait without end, and a flood cannot starve everybody else.
 */
export function createHasherPool(cost: number): HasherPool {
  const threads = Math.max(1, availableParallelism() - 1);
  const pool = new Piscina({
    filename: new URL('./worker.js', import.meta.url).href,
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: 30_000,
    maxQueue: threads * QUEUE_PER_THREAD,
  });
  const run = async <T>(task: object): Promise<T> => {
    if (pool.queueSize >= threads * QUEUE_PER_THREAD)
      throw new Refusal('overloaded', 'hashing queue is full', { retryAfter: 2 });
    return pool.run(task);
  };
  return {
    hash: (password) => run<string>({ kind: 'hash', password, cost }),
    matches: (password, hash, workCost = 0) => run<boolean>({ kind: 'matches', password, hash, workCost }),
    close: () => pool.destroy(),
  };
}
