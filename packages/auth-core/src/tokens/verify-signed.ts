import { type KeyObject, verify } from 'node:crypto';
import { type Audience, isRecord, isScope, TOKEN_TYPES } from '@svc/contract';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { Unavailable } from '../errors.ts';
import type { Claims } from './claims.ts';
import { SIGNING_ALGORITHM } from './key-ring.ts';

/** Reason why a token was rejected, which the client never gets. */
export type TokenFault = 'malformed' | 'unknown key' | 'signature' | 'wrong kind' | 'expired';

export const LONGEST_TOKEN = 8192;
/**
 * Form of a signed token, which has three parts in base64url. The last part is the 64 bytes of an ES256 signature,
 * whose spare bits have to be zero. Decoders ignore blanks and spare bits, so without this check many different texts
 * would be accepted as the same token.
 */
const FORM = /^[\w-]+\.[\w-]+\.[\w-]{85}[AQgw]$/;

/** Facts that a token has to match. */
interface Expected {
  readonly audiences: readonly Audience[];
  readonly issuer: string;
  /** Current time in ms since 1970. */
  readonly now: number;
  /**
   * Tolerated difference in seconds to the clock of the signer, which is 0 if this server signed the token (contract
   * 4).
   */
  readonly toleranceSec: number;
  /** Seconds after which a token is expired, whatever its claim `exp` says. Absent if there is no such limit. */
  readonly longestLife?: number;
}

/**
 * @returns the header of a token, or undefined if the token does not match `FORM`, or if the header has another
 * algorithm or other members than this server uses
 */
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

/**
 * Verifies a token whose header was read and whose key was found. It runs synchronously with `node:crypto`, because
 * WebCrypto returns a promise, and waiting for it takes longer than the signature check itself.
 *
 * @returns the claims, with the expiry to which `longestLife` holds the token, or the reason why it is rejected
 */
export function verifySigned(
  token: string,
  typ: unknown,
  key: KeyObject,
  expected: Expected,
): Claims | TokenFault {
  if (!isSignedBy(key, token)) return 'signature';
  const signed = readClaims(token);
  if (typeof signed === 'string') return signed;
  if (typ !== TOKEN_TYPES[signed.aud]) return 'wrong kind';
  const { longestLife = Number.POSITIVE_INFINITY } = expected;
  const claims = { ...signed, exp: Math.min(signed.exp, signed.iat + longestLife) };
  return faultOf(claims, expected) ?? claims;
}

/** @returns the reason why claims with a valid signature are rejected, or undefined if they are accepted */
export function faultOf(
  { aud, iss, exp, nbf }: Claims & { readonly nbf?: number },
  { audiences, issuer, now, toleranceSec }: Expected,
): TokenFault | undefined {
  if (iss !== issuer || !audiences.includes(aud)) return 'wrong kind';
  if (nbf !== undefined && now < (nbf - toleranceSec) * 1000) return 'wrong kind';
  return now >= (exp + toleranceSec) * 1000 ? 'expired' : undefined;
}

function isSignedBy(key: KeyObject, token: string): boolean {
  const end = token.lastIndexOf('.');
  const signed = Buffer.from(token.slice(0, end), 'latin1');
  const signature = Buffer.from(token.slice(end + 1), 'base64url');
  try {
    // An ES256 signature consists of two concatenated numbers (RFC 7518, 3.4). Node.js expects DER unless `ieee-p1363`
    // is set.
    return verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, signature);
  } catch (error) {
    throw new Unavailable('token could not be verified', error);
  }
}

/** Last second since 1970 that a JavaScript `Date` can represent. */
const LAST_SECOND = 8.64e12;

/** @returns whether a claim is a time in whole seconds since 1970 that a JavaScript `Date` can represent */
function isTime(value: unknown): boolean {
  return Number.isInteger(value) && Math.abs(value as number) <= LAST_SECOND;
}

/** @returns whether the claim `holder` of a ticket has all members with which the requesting credential is looked up */
function isHolder(holder: unknown): boolean {
  const credential = isRecord(holder) ? holder.credential : undefined;
  return isRecord(credential) && typeof credential.kind === 'string' && typeof credential.id === 'string';
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

const TEXTS = [
  'scope',
  'team',
  'res',
  'sign_in',
  'udid',
  'sid',
  'act',
  'node',
  'lessee',
  'rule',
  'rule_subject',
  'rule_run',
  'rule_url',
];

function readClaims(token: string): Claims | TokenFault {
  let payload: Record<string, unknown>;
  try {
    payload = decodeJwt(token);
  } catch {
    return 'malformed';
  }
  const { iss, sub, aud, jti, iat, exp, nbf, sie, guarded, keep, holder, parents } = payload;
  for (const text of [iss, sub, jti]) if (typeof text !== 'string') return 'wrong kind';
  for (const time of nbf === undefined ? [iat, exp] : [iat, exp, nbf]) if (!isTime(time)) return 'wrong kind';
  if (typeof aud !== 'string' || !Object.hasOwn(TOKEN_TYPES, aud)) return 'wrong kind';
  for (const name of TEXTS) {
    if (payload[name] !== undefined && typeof payload[name] !== 'string') return 'wrong kind';
  }
  if (sie !== undefined && typeof sie !== 'number') return 'wrong kind';
  if (guarded !== undefined && typeof guarded !== 'boolean') return 'wrong kind';
  if (keep !== undefined && typeof keep !== 'boolean') return 'wrong kind';
  if (holder !== undefined && !isHolder(holder)) return 'wrong kind';
  if (parents !== undefined && !isListOfTexts(parents)) return 'wrong kind';
  // Tokens of the 2.14 versions have no scopes. They are valid, but they allow nothing (specification 2, Session
  // token).
  const scopes = Array.isArray(payload.scopes) ? payload.scopes.filter(isScope) : [];
  return { ...payload, scopes } as unknown as Claims;
}
