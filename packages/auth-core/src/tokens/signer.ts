import { type Audience, isScope, TOKEN_TYPES } from '@svc/contract';
import { decodeProtectedHeader, errors, jwtVerify, SignJWT } from 'jose';
import { Unavailable } from '../errors.ts';
import { isRecord } from '../is-record.ts';
import type { Clock, Random } from '../ports/index.ts';
import type { Claims } from './claims.ts';
import { type KeyRing, SIGNING_ALGORITHM } from './key-ring.ts';

/** What a caller of `mint` decides; issuer, times and id are the signer's. */
export type Grant = Omit<Claims, 'iss' | 'iat' | 'exp' | 'jti'> & {
  /** Seconds. */
  readonly lifetime: number;
  /** Bound by the credential that asked (ms since 1970). */
  readonly until: number | null;
};

/** Why a token was rejected; never sent to the client. */
export type TokenFault = 'malformed' | 'unknown key' | 'signature' | 'wrong kind' | 'expired';

const LONGEST_TOKEN = 8192;
/**
 * Three parts of base64url, the last the 64 bytes of an ES256 signature with its spare bits zero: decoders skip
 * blanks and spare bits, so that without this many texts would be one token, a tampered one among them.
 */
const FORM = /^[\w-]+\.[\w-]+\.[\w-]{85}[AQgw]$/;

/**
 * Makes and checks every signed token. A token is good only where `typ`, `aud` and `iss` all fit, the algorithm is
 * pinned, the key is picked from our ring by `kid` alone, and a header with any member but `alg`, `typ` and `kid`
 * is not ours: `jku`, `x5u`, `jwk` and `crit` are never followed (contract 4). No clock tolerance.
 */
export class TokenSigner {
  readonly #keys: KeyRing;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #issuer: string;

  constructor(keys: KeyRing, clock: Clock, random: Random, issuer: string) {
    this.#keys = keys;
    this.#clock = clock;
    this.#random = random;
    this.#issuer = issuer;
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
    return { token, claims };
  }

  /** The claims of a valid token for one of `audiences`, or why it is rejected. */
  async verify(token: string, audiences: readonly Audience[]): Promise<Claims | TokenFault> {
    if (this.#keys.current === undefined) throw new Unavailable('signing key unavailable');
    const header = readHeader(token);
    if (header === undefined) return 'malformed';
    const key = this.#keys.byId(header.kid);
    if (key === undefined) return 'unknown key';
    try {
      const { payload } = await jwtVerify(token, key.publicKey, {
        algorithms: [SIGNING_ALGORITHM],
        issuer: this.#issuer,
        currentDate: new Date(this.#clock.now()),
        requiredClaims: ['iss', 'sub', 'aud', 'iat', 'exp', 'jti'],
      });
      const claims = readClaims(payload);
      if (claims === undefined || !audiences.includes(claims.aud)) return 'wrong kind';
      if (header.typ !== TOKEN_TYPES[claims.aud]) return 'wrong kind';
      return isExpired(claims, this.#clock.now()) ? 'expired' : claims;
    } catch (error) {
      return faultOf(error);
    }
  }
}

/** `exp` is the first moment a token is no longer good. */
function isExpired(claims: Claims, now: number): boolean {
  return now >= claims.exp * 1000;
}

function readHeader(token: string): Record<string, unknown> | undefined {
  if (token.length > LONGEST_TOKEN || !FORM.test(token)) return undefined;
  try {
    const header = decodeProtectedHeader(token) as Record<string, unknown>;
    const foreign = Object.keys(header).some((name) => name !== 'alg' && name !== 'typ' && name !== 'kid');
    return foreign || header.alg !== SIGNING_ALGORITHM ? undefined : header;
  } catch {
    return undefined;
  }
}

function readClaims(payload: Record<string, unknown>): Claims | undefined {
  const { sub, aud, jti } = payload;
  if (typeof sub !== 'string' || typeof jti !== 'string') return undefined;
  if (typeof aud !== 'string' || !Object.hasOwn(TOKEN_TYPES, aud)) return undefined;
  for (const name of ['scope', 'team', 'res', 'sign_in']) {
    if (payload[name] !== undefined && typeof payload[name] !== 'string') return undefined;
  }
  if (payload.sie !== undefined && typeof payload.sie !== 'number') return undefined;
  if (payload.holder !== undefined && !isRecord(payload.holder)) return undefined;
  // Tokens of the 2.14 line carry no scopes: still a valid token, one that may do nothing (specification 2, Session token).
  const scopes = Array.isArray(payload.scopes) ? payload.scopes.filter(isScope) : [];
  return { ...payload, scopes } as unknown as Claims;
}

function faultOf(error: unknown): TokenFault {
  if (error instanceof errors.JWTExpired) return 'expired';
  if (error instanceof errors.JWTClaimValidationFailed) return 'wrong kind';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'signature';
  if (error instanceof errors.JOSEError || error instanceof TypeError) return 'malformed';
  throw new Unavailable('token could not be verified', error);
}
