import { type Audience, isScope, TOKEN_TYPES } from '@svc/contract';
import { type CryptoKey, decodeProtectedHeader, errors, jwtVerify } from 'jose';
import { Unavailable } from '../errors.ts';
import { isRecord } from '../is-record.ts';
import type { Claims } from './claims.ts';
import { SIGNING_ALGORITHM } from './key-ring.ts';

/** Why a token was rejected; never sent to the client. */
export type TokenFault = 'malformed' | 'unknown key' | 'signature' | 'wrong kind' | 'expired';

const LONGEST_TOKEN = 8192;
/**
 * Three parts of base64url, the last the 64 bytes of an ES256 signature with its spare bits zero: decoders skip
 * blanks and spare bits, so that without this many texts would be one token, a tampered one among them.
 */
const FORM = /^[\w-]+\.[\w-]+\.[\w-]{85}[AQgw]$/;

/** What a token has to fit. */
interface Expected {
  readonly audiences: readonly Audience[];
  readonly issuer: string;
  /** Ms since 1970. */
  readonly now: number;
  /** By how much the clock of whoever signed may differ; none on our own tokens (contract 4). */
  readonly toleranceSec: number;
}

/** Header of a token of the one form accepted; undefined: it is none. */
export function readHeader(token: string): Record<string, unknown> | undefined {
  if (token.length > LONGEST_TOKEN || !FORM.test(token)) return undefined;
  try {
    const header = decodeProtectedHeader(token) as Record<string, unknown>;
    const foreign = Object.keys(header).some((name) => name !== 'alg' && name !== 'typ' && name !== 'kid');
    return foreign || header.alg !== SIGNING_ALGORITHM ? undefined : header;
  } catch {
    return undefined;
  }
}

/** The claims of a token whose header was read and whose key was found by it, or why it is rejected. */
export async function verifySigned(
  token: string,
  typ: unknown,
  key: CryptoKey,
  { audiences, issuer, now, toleranceSec }: Expected,
): Promise<Claims | TokenFault> {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [SIGNING_ALGORITHM],
      issuer,
      currentDate: new Date(now),
      clockTolerance: toleranceSec,
      requiredClaims: ['iss', 'sub', 'aud', 'iat', 'exp', 'jti'],
    });
    const claims = readClaims(payload);
    if (claims === undefined || !audiences.includes(claims.aud)) return 'wrong kind';
    if (typ !== TOKEN_TYPES[claims.aud]) return 'wrong kind';
    return now >= (claims.exp + toleranceSec) * 1000 ? 'expired' : claims;
  } catch (error) {
    return faultOf(error);
  }
}

function readClaims(payload: Record<string, unknown>): Claims | undefined {
  const { sub, aud, jti } = payload;
  if (typeof sub !== 'string' || typeof jti !== 'string') return undefined;
  if (typeof aud !== 'string' || !Object.hasOwn(TOKEN_TYPES, aud)) return undefined;
  for (const name of ['scope', 'team', 'res', 'sign_in', 'udid', 'sid', 'act', 'node']) {
    if (payload[name] !== undefined && typeof payload[name] !== 'string') return undefined;
  }
  if (payload.sie !== undefined && typeof payload.sie !== 'number') return undefined;
  if (payload.guarded !== undefined && typeof payload.guarded !== 'boolean') return undefined;
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
