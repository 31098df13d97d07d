import type { PasswordHasher } from '@svc/accounts';

/**
 * Returns a hasher for programs that serve no requests. It hashes in this thread, in steps of 100 ms, because a pool of
 * threads for one password would need 6 MB or more.
 */
export function startHasher(cost: number): PasswordHasher {
  return {
    hash: async (password) => (await bcrypt()).hash(password, cost),
    matches: async (password, hash) => (await bcrypt()).compare(password, hash),
  };
}

/** Loads bcryptjs on demand, because most programs hash nothing when they start. */
async function bcrypt(): Promise<typeof import('bcryptjs').default> {
  return (await import('bcryptjs')).default;
}
