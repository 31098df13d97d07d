import { isSafe } from '../policy/same-origin.ts';

/** Rate categories in the words of the `X-RateLimit-Category` header (specification 8.1). */
export type RateCategory = 'read' | 'change' | 'ai';

/** Reads: GET, HEAD, OPTIONS. Changes that run an AI provider are `ai`; every other change is `change`. */
export function rateCategory(method: string, usesAi: boolean): RateCategory {
  if (isSafe(method)) return 'read';
  return usesAi ? 'ai' : 'change';
}

/** Allowance of signed-in users and bearer tokens, per minute. */
const USER_LIMITS: Record<RateCategory, number> = { read: 3000, change: 300, ai: 75 };

/** Requests a minute; `keyLimit` is null for a user (sign-in or bearer token). */
export function capacityOf(category: RateCategory, keyLimit: number | null): number {
  if (keyLimit === null) return USER_LIMITS[category];
  return category === 'ai' ? Math.max(10, Math.floor(keyLimit / 4)) : keyLimit;
}
