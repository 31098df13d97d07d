import { isSafe } from '../policy/same-origin.ts';

/** Rate categories in the words of the `X-RateLimit-Category` header (specification 8.1). */
export type RateCategory = 'read' | 'change' | 'ai';

/** GET, HEAD and OPTIONS are `read`. Changes that run an AI provider are `ai`, and all others are `change`. */
export function rateCategory(method: string, usesAi: boolean): RateCategory {
  if (isSafe(method)) return 'read';
  return usesAi ? 'ai' : 'change';
}

/** Requests per minute of a user, for all sign-ins and bearer tokens together. */
const USER_LIMITS: Record<RateCategory, number> = { read: 3000, change: 300, ai: 75 };

/**
 * @param keyLimit limit of the key, or null for a sign-in or bearer token
 * @returns requests per minute
 */
export function capacityOf(category: RateCategory, keyLimit: number | null): number {
  if (keyLimit === null) return USER_LIMITS[category];
  return category === 'ai' ? Math.max(10, Math.floor(keyLimit / 4)) : keyLimit;
}
