/** Lifetimes in days that the form for a new token offers (specification 2, Token). */
export const LIVES = ['7', '30', '90', '365', 'never'] as const;
export type Life = (typeof LIVES)[number];
export const DEFAULT_LIFE: Life = '30';

const DAY_MS = 24 * 60 * 60 * 1000;

/** @returns the expiry for a chosen lifetime in ISO 8601, or null for `never`; `now` is in ms since 1970 */
export function expiryOf(life: Life, now: number): string | null {
  return life === 'never' ? null : new Date(now + Number(life) * DAY_MS).toISOString();
}
