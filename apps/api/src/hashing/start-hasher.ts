import type { PasswordHasher } from '@svc/auth-core';

/**
 * For programs that serve no request: hashes in this thread, in steps of 100 ms. A pool of threads for one password
 * would keep 6 MB and more.
 */
export function startHasher(cost: number): PasswordHasher {
  return {
    hash: async (password) => (await bcrypt()).hash(password, cost),
    matches: async (password, hash) => (await bcrypt()).compare(password, hash),
  };
}

/** Loaded on demand, because most starts hash nothing. */
async function bcrypt(): Promise<typeof import('bcryptjs').default> {
  return (await import('bcryptjs')).default;
}
