import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock, Random, StoreTransaction } from '../ports/index.ts';

/** Time (ms) for which a challenge is valid (contract 10). */
const CHALLENGE_MS = 5 * 60 * 1000;
const NONCE_BYTES = 16;
const TIME_BYTES = 6;
const MAC_BYTES = 16;
const LENGTH = NONCE_BYTES + TIME_BYTES + MAC_BYTES;

/** What a challenge is for: signing in, or adding a passkey to the account with this id. */
export type ChallengePurpose = 'authenticate' | { readonly registerFor: string };

/**
 * Issues the challenges that authenticators sign, and takes each of them once.
 *
 * A challenge contains its expiry and proves that this process issued it for this purpose, so the server stores nothing
 * for challenges that were never answered, however many an unauthenticated client asks for. Only a challenge that comes
 * back is stored, as spent, until it expires.
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
   * Takes a challenge. Of several requests with the same challenge, only one gets true, also across a restart.
   * @param text the challenge in base64url, as the browser returned it
   * @returns false if the challenge is not one of this server for this purpose, has expired or was taken before
   */
  take(tx: Pick<StoreTransaction, 'replay'>, text: string, purpose: ChallengePurpose): boolean {
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
