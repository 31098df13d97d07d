/** Category of a request for the rate limit, as the header `X-RateLimit-Category` names it (specification 8.1). */
export type RateCategory = 'read' | 'change' | 'ai';

/** Maximum number of requests per minute for each user. All sign-ins and bearer tokens of the user count together. */
const USER_LIMITS: Record<RateCategory, number> = { read: 3000, change: 300, ai: 75 };

/**
 * Returns the number of requests per minute that a caller may send in the category.
 * @param keyLimit rate limit of the key, or null for a sign-in or bearer token
 */
export function capacityOf(category: RateCategory, keyLimit: number | null): number {
  if (keyLimit === null) return USER_LIMITS[category];
  return category === 'ai' ? Math.max(10, Math.floor(keyLimit / 4)) : keyLimit;
}
