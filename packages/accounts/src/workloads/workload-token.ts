import { decodeJwt, decodeProtectedHeader } from 'jose';
import type { TrustClaim, TrustRule } from '../ports/trust-rules.ts';

/** Signature algorithms that tokens of CI jobs may have (contract 10.3). */
export const WORKLOAD_ALGORITHMS = ['RS256', 'ES256', 'PS256', 'EdDSA'] as const;

const LONGEST_TOKEN = 16_384;
const LONGEST_LIFE_SEC = 24 * 60 * 60;
/** Seconds by which an issuer's clock may be ahead of this server's clock. */
const CLOCK_AHEAD_SEC = 10;
const FORM = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** A token that a CI job or other program got from its issuer. Its signature is not verified yet. */
export interface WorkloadToken {
  readonly text: string;
  readonly issuer: string;
  readonly claims: Readonly<Record<string, unknown>>;
  /** Time (ms since 1970) at which the token expires. */
  readonly expiresAt: number;
}

/** @returns the parsed token, or the reason why the text is not a well-formed identity token */
export function readWorkloadToken(text: string): WorkloadToken | string {
  if (text.length > LONGEST_TOKEN || !FORM.test(text)) return 'not a signed token';
  let header: Record<string, unknown>;
  let claims: Record<string, unknown>;
  try {
    header = decodeProtectedHeader(text) as Record<string, unknown>;
    claims = decodeJwt(text);
  } catch {
    return 'not a signed token';
  }
  if (!WORKLOAD_ALGORITHMS.some((alg) => alg === header.alg)) return 'algorithm not accepted';
  if (header.crit !== undefined || header.b64 !== undefined) return 'header with extensions';
  if (!isIdentityType(header.typ)) return 'kind of token not accepted';
  const { iss, exp } = claims;
  if (typeof iss !== 'string' || iss === '') return 'no issuer';
  if (!isTime(exp)) return 'no expiry';
  return { text, issuer: iss, claims, expiresAt: exp * 1000 };
}

/**
 * @returns whether the header `typ` allows an identity token. Access tokens (`at+jwt`), logout tokens and others have
 * their own `typ` and are refused (RFC 8725, 3.11)
 */
function isIdentityType(typ: unknown): boolean {
  return typ === undefined || (typeof typ === 'string' && /^(?:application\/)?jwt$/i.test(typ));
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && Math.abs(value) < 8.64e12;
}

/** @returns the reason why a token is not valid now, or undefined if it is */
export function timeFault({ claims, expiresAt }: WorkloadToken, now: number): string | undefined {
  const { iat, nbf } = claims;
  if (now >= expiresAt) return 'expired';
  if (expiresAt > now + LONGEST_LIFE_SEC * 1000) return 'expires more than 24 hours ahead';
  for (const time of [iat, nbf]) {
    if (time === undefined) continue;
    if (!isTime(time)) return 'time of issue is not a number';
    if (time * 1000 > now + CLOCK_AHEAD_SEC * 1000) return 'issued in the future';
  }
  return undefined;
}

/**
 * @returns the first reason why a trust rule does not accept a token, or undefined if it accepts the token. The token
 * must be from the issuer of the rule
 */
export function ruleFault(
  rule: TrustRule,
  { claims }: WorkloadToken,
  { publicUrl, now }: { readonly publicUrl: string | null; readonly now: number },
): string | undefined {
  if (rule.paused) return 'the rule is paused';
  if (rule.expiresAt !== null && now >= rule.expiresAt) return 'the rule has ended';
  const audience = rule.audience ?? publicUrl;
  if (audience === null) return 'the rule has no audience, because no public URL is set';
  if (!hasOnlyAudience(claims.aud, audience)) return `the audience is not ${audience} alone`;
  const missing = rule.claims.find((claim) => !hasClaim(claims, claim));
  return missing === undefined ? undefined : `the claim ${missing.claim} has none of the values of the rule`;
}

function hasOnlyAudience(aud: unknown, wanted: string): boolean {
  return Array.isArray(aud) ? aud.length === 1 && aud[0] === wanted : aud === wanted;
}

/**
 * @returns whether the token's claim has one of the wanted values. Texts, whole numbers and booleans are compared as
 * text; for a list, one matching entry is enough; every other type does not match.
 */
function hasClaim(claims: Readonly<Record<string, unknown>>, { claim, anyOf }: TrustClaim): boolean {
  if (!Object.hasOwn(claims, claim)) return false;
  const found = claims[claim];
  const texts = (Array.isArray(found) ? found : [found]).map(textOfValue);
  return anyOf.some((value) => texts.includes(textOfValue(value)));
}

/**
 * @returns the text with which a claim's value is compared, or null if the value cannot match. Numbers beyond 2^53
 * cannot match, because JSON parsers round them.
 */
function textOfValue(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || Number.isSafeInteger(value)) return String(value);
  return null;
}
