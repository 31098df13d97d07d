import type { Cascade, Clock } from '@svc/auth-core';
import { HOUR_MS } from '@svc/module';
import type { AccountTransaction } from '../ports/stores.ts';

/**
 * Returns the maximum lifetime (ms) of a token minted from a sign-in: one hour, which is the maximum for `svc-rest`
 * tokens, or the lifetime of `svc-mcp` tokens (seconds) if that is longer.
 */
export function longestTokenMs(mcpTokenTtl: number): number {
  return Math.max(HOUR_MS, mcpTokenTtl * 1000);
}

/** @returns a function that revokes every token minted from the given sign-in, directly or through other tokens */
export function endTokens(cascade: Cascade, clock: Clock, longestMs: number) {
  return (tx: AccountTransaction, signInId: string, accountId: string): void => {
    cascade.credentialEnded(tx, { id: signInId, accountId, expiresAt: clock.now() + longestMs });
  };
}
