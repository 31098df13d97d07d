import type { PasswordHasher } from '@svc/auth-core';

/**
 * For the start, while nobody is answered yet: in this thread, in steps of 100 ms. A pool of threads for one password
 * would leave 6 MB and more behind.
 */
export function startHasher(cost: number): PasswordHasher {
  return {
    hash: async (password) => (await bcrypt()).hash(password, cost),
    matches: async (password, hash) => (await bcrypt()).compare(password, hash),
  };
}

/** Most starts need none. */
async function bcrypt(): Promise<typeof import('bcryptjs').default> {
  return (await import('bcryptjs')).default;
}
