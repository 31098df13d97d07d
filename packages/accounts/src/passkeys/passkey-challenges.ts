import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock, Random } from '@svc/auth-core';
import type { AccountTransaction } from '../ports/stores.ts';

/** Time (ms) for which a challenge is valid (contract 10). */
const CHALLENGE_MS = 5 * 60 * 1000;
const NONCE_BYTES = 16;
const TIME_BYTES = 6;
const MAC_BYTES = 16;
const LENGTH = NONCE_BYTES + TIME_BYTES + MAC_BYTES;

/** Purpose of a challenge: to sign in, or to add a passkey to the account with this id. */
export type ChallengePurpose = 'authenticate' | { readonly registerFor: string };

/**
 * Issues the challenges that authenticators sign, and accepts each of them once.
 *
 * A challenge contains its expiry and a proof that this process issued it for this purpose. The server therefore stores
 * nothing for challenges that are never answered, so unauthenticated clients cannot fill the memory by requesting them.
 * A challenge that comes back is stored as used until it expires.
 */
export class PasskeyChallenges {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #key: Uint8Array;

  constructor({ clock, random }: { readonly clock: Clock; readonly random: Random }) {
    this.#clock = clock;
    this.#random = random;
    this.#key = random.bytes(32);
  }

  issue(purpose: ChallengePurpose): Uint8Array {
    const time = Buffer.alloc(TIME_BYTES);
    time.writeUIntBE(this.#clock.now() + CHALLENGE_MS, 0, TIME_BYTES);
    const claims = Buffer.concat([this.#random.bytes(NONCE_BYTES), time]);
    return Buffer.concat([claims, this.#mac(claims, purpose)]);
  }

  /**
   * Accepts a challenge and marks it as used. Of several requests with the same challenge, only one gets true, even
   * across a restart.
   * @param text the challenge in base64url, as the browser returned it
   * @returns false if this server did not issue the challenge for this purpose, or if the challenge has expired or was
   * used
   */
  take(tx: Pick<AccountTransaction, 'replay'>, text: string, purpose: ChallengePurpose): boolean {
    const bytes = Buffer.from(text, 'base64url');
    if (bytes.length !== LENGTH || bytes.toString('base64url') !== text) return false;
    const claims = bytes.subarray(0, NONCE_BYTES + TIME_BYTES);
    if (!timingSafeEqual(bytes.subarray(NONCE_BYTES + TIME_BYTES), this.#mac(claims, purpose))) return false;
    const expiresAt = claims.readUIntBE(NONCE_BYTES, TIME_BYTES);
    if (this.#clock.now() >= expiresAt) return false;
    return tx.replay.spend(`passkey ${text}`, expiresAt);
  }

  #mac(claims: Uint8Array, purpose: ChallengePurpose): Buffer {
    const words = purpose === 'authenticate' ? 'authenticate' : `register ${purpose.registerFor}`;
    return createHmac('sha256', this.#key).update(claims).update(words).digest().subarray(0, MAC_BYTES);
  }
}
