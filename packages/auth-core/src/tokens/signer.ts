import { type Audience, TOKEN_TYPES } from '@svc/contract';
import { SignJWT } from 'jose';
import { Unavailable } from '../errors.ts';
import { GenerationalCache } from '../generational-cache.ts';
import type { Clock, Random } from '../ports/index.ts';
import { secretDigest } from '../secrets/opaque.ts';
import type { Claims } from './claims.ts';
import { type KeyRing, SIGNING_ALGORITHM } from './key-ring.ts';
import { faultOf, LONGEST_TOKEN, readHeader, type TokenFault, verifySigned } from './verify-signed.ts';

/** Content of a token to be minted. The signer adds the issuer, the times and the id of the token. */
export type Grant = Omit<Claims, 'iss' | 'iat' | 'exp' | 'jti'> & {
  /** Lifetime of the token in seconds. */
  readonly lifetime: number;
  /** Latest expiry that the requesting credential allows (ms since 1970), or null for no bound. */
  readonly until: number | null;
};

/** Verifies signed tokens with this server's keys, or with the public keys of another server of the installation. */
export interface TokenVerifier {
  /**
   * Counter that is raised whenever a key was removed. Callers that cache verified tokens must then verify them again.
   */
  readonly keyRemovals: number;
  /**
   * Verifies a token. Throws or rejects with `Unavailable` if the keys are not available.
   * @returns the claims of a token for one of `audiences`, or the reason why the token is rejected
   */
  verify(token: string, audiences: readonly Audience[]): Verified | Promise<Verified>;
}

export type Verified = Claims | TokenFault;

/** A token whose signature is known to be valid. It is cached so that its signature need not be verified. */
interface KnownToken {
  readonly claims: Claims;
  readonly kid: string;
}

/** Number of tokens that stay cached. `GenerationalCache` holds at most twice as many. */
const REMEMBERED = 10_000;

/**
 * Mints and verifies all signed tokens of this server. `typ`, `aud` and `iss` all have to match. The algorithm is
 * pinned, and `kid` alone selects the key from the ring. A header with any member except `alg`, `typ` and `kid` is
 * rejected, so that `jku`, `x5u`, `jwk` and `crit` are never used (contract 4). Times are checked without a tolerance
 * for clock differences.
 */
export class TokenSigner implements TokenVerifier {
  readonly #keys: KeyRing;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #issuer: string;
  /** Seconds after which a token is expired, whatever its claim `exp` says. */
  readonly longestLife: number;
  /** Tokens that were signed or verified here, by the digest of their text. */
  readonly #known = new GenerationalCache<string, KnownToken>(REMEMBERED);

  constructor(
    keys: KeyRing,
    clock: Clock,
    random: Random,
    issuer: string,
    longestLife = Number.POSITIVE_INFINITY,
  ) {
    this.#keys = keys;
    this.#clock = clock;
    this.#random = random;
    this.#issuer = issuer;
    this.longestLife = longestLife;
  }

  get keyRemovals(): number {
    return this.#keys.removals;
  }

  /**
   * @returns for how many whole seconds a token would be valid, which is `lifetime` or, if that ends earlier, the time
   * until `until`, rounded down (5.3.1, contract 4). If the result is below 1, do not mint the token
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
    // Tokens for nodes are not cached, because the nodes verify them, not this server.
    if (!grant.aud.startsWith('svc-node')) this.#known.set(secretDigest(token), { claims, kid: key.kid });
    return { token, claims };
  }

  verify(token: string, audiences: readonly Audience[]): Verified {
    if (this.#keys.current === undefined) throw new Unavailable('signing key unavailable');
    const now = this.#clock.now();
    const expected = { audiences, issuer: this.#issuer, now, toleranceSec: 0, longestLife: this.longestLife };
    if (token.length > LONGEST_TOKEN) return 'malformed';
    const digest = secretDigest(token);
    const known = this.#known.get(digest);
    if (known !== undefined) {
      const { claims, kid } = known;
      return this.#keys.byId(kid, now) === undefined ? 'unknown key' : (faultOf(claims, expected) ?? claims);
    }
    const header = readHeader(token);
    if (header === undefined) return 'malformed';
    const key = this.#keys.byId(header.kid, now);
    if (key === undefined) return 'unknown key';
    const claims = verifySigned(token, header.typ, key.publicKey, expected);
    if (typeof claims !== 'string') this.#known.set(digest, { claims, kid: key.kid });
    return claims;
  }
}
