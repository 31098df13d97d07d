import { type Audience, TOKEN_TYPES } from '@svc/contract';
import { SignJWT } from 'jose';
import { Unavailable } from '../errors.ts';
import { GenerationalCache } from '../generational-cache.ts';
import type { Clock, Random } from '../ports/index.ts';
import { secretDigest } from '../secrets/opaque.ts';
import type { Claims } from './claims.ts';
import { type KeyRing, SIGNING_ALGORITHM } from './key-ring.ts';
import { faultOf, LONGEST_TOKEN, readHeader, type TokenFault, verifySigned } from './verify-signed.ts';

/** What a caller of `mint` decides; issuer, times and id are the signer's. */
export type Grant = Omit<Claims, 'iss' | 'iat' | 'exp' | 'jti'> & {
  /** Seconds. */
  readonly lifetime: number;
  /** Bound by the credential that asked (ms since 1970). */
  readonly until: number | null;
};

/** Checks signed tokens: with our own key, or with the public ones of another server of this installation. */
export interface TokenVerifier {
  /** Raised whenever a token that was good may be so no longer, because its key was taken away. */
  readonly keyRemovals: number;
  /** The claims of a valid token for one of `audiences`, or why it is rejected. Throws or rejects: `Unavailable`. */
  verify(token: string, audiences: readonly Audience[]): Verified | Promise<Verified>;
}

export type Verified = Claims | TokenFault;

/** A token signed here, which need not be verified here. */
interface SignedHere {
  readonly claims: Claims;
  readonly kid: string;
}

/** At least so many are kept in mind, and at most twice as many. */
const REMEMBERED = 5_000;

/**
 * Makes and checks every signed token. A token is good only where `typ`, `aud` and `iss` all fit, the algorithm is
 * pinned, the key is picked from our ring by `kid` alone, and a header with any member but `alg`, `typ` and `kid`
 * is not ours: `jku`, `x5u`, `jwk` and `crit` are never followed (contract 4). No clock tolerance.
 */
export class TokenSigner implements TokenVerifier {
  readonly #keys: KeyRing;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #issuer: string;
  /** By digest. */
  readonly #signed = new GenerationalCache<string, SignedHere>(REMEMBERED);

  constructor(keys: KeyRing, clock: Clock, random: Random, issuer: string) {
    this.#keys = keys;
    this.#clock = clock;
    this.#random = random;
    this.#issuer = issuer;
  }

  get keyRemovals(): number {
    return this.#keys.removals;
  }

  /**
   * Whole seconds a grant would live: the shorter of its own life and what its source has left, rounded down
   * (5.3.1, contract 4). Below 1 there is nothing to mint.
   */
  lifetimeOf({ lifetime, until }: Pick<Grant, 'lifetime' | 'until'>): number {
    return until === null ? lifetime : Math.min(lifetime, Math.floor((until - this.#clock.now()) / 1000));
  }

  async mint(grant: Grant): Promise<{ token: string; claims: Claims }> {
    const key = this.#keys.current;
    if (key === undefined) throw new Unavailable('signing key unavailable');
    const { lifetime, until, ...rest } = grant;
    const iat = Math.floor(this.#clock.now() / 1000);
    const claims: Claims = {
      ...rest,
      iss: this.#issuer,
      iat,
      exp: iat + this.lifetimeOf({ lifetime, until }),
      jti: this.#random.uuid(),
    };
    const token = await new SignJWT({ ...claims })
      .setProtectedHeader({ alg: SIGNING_ALGORITHM, typ: TOKEN_TYPES[grant.aud], kid: key.kid })
      .sign(key.privateKey);
    // A hub's are verified by its nodes.
    if (!grant.aud.startsWith('svc-node')) this.#signed.set(secretDigest(token), { claims, kid: key.kid });
    return { token, claims };
  }

  verify(token: string, audiences: readonly Audience[]): Verified {
    if (this.#keys.current === undefined) throw new Unavailable('signing key unavailable');
    const now = this.#clock.now();
    const expected = { audiences, issuer: this.#issuer, now, toleranceSec: 0 };
    if (token.length > LONGEST_TOKEN) return 'malformed';
    const signed = this.#signed.get(secretDigest(token));
    if (signed !== undefined) {
      const { claims, kid } = signed;
      return this.#keys.byId(kid, now) === undefined ? 'unknown key' : (faultOf(claims, expected) ?? claims);
    }
    const header = readHeader(token);
    if (header === undefined) return 'malformed';
    const key = this.#keys.byId(header.kid, now);
    if (key === undefined) return 'unknown key';
    return verifySigned(token, header.typ, key.publicKey, expected);
  }
}
