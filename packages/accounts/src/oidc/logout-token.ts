import { isRecord } from '@svc/contract';
import { type createLocalJWKSet, decodeJwt, decodeProtectedHeader, type JWTPayload, jwtVerify } from 'jose';
import type { ProviderLogout } from './provider-person.ts';
import { ProviderError } from './types.ts';

/** Signature algorithms that are accepted from a provider. `none` and symmetric algorithms are not accepted. */
export const SIGNATURE_ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** Tolerated difference in seconds between the clocks of the provider and this server. */
export const TOLERATED_SECONDS = 30;
/** Maximum age in seconds of a logout token without the claim `exp`, which some providers leave out. */
const LONGEST_AGE_SECONDS = 600;
const DAY_SECONDS = 86_400;
const LONGEST_ID = 512;

/** Accepted values of the header `typ` of a logout token. Older providers send `JWT` or no `typ` (contract 10.1). */
const TYPES = new Set([undefined, 'jwt', 'logout+jwt', 'application/logout+jwt']);

export interface LogoutTokenRules {
  readonly issuer: string;
  readonly clientId: string;
  /** Current time (ms since 1970). */
  readonly now: number;
  readonly keys: ReturnType<typeof createLocalJWKSet>;
}

/**
 * Checks the algorithm and the issuer of a logout token before its signature is verified, and throws if one of them is
 * wrong. To verify a signature, this server may have to fetch the provider's keys. This check prevents that any client
 * can cause such requests with arbitrary tokens.
 */
export function checkUnverified(token: string, issuer: string): void {
  const { alg } = decodeProtectedHeader(token);
  if (alg === undefined || !SIGNATURE_ALGORITHMS.includes(alg))
    throw refused('is not signed with a key pair');
  if (decodeJwt(token).iss !== issuer) throw refused('has another issuer');
}

/**
 * Verifies a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.6). Rejects if the token is not valid:
 * with an error of the library jose or with a `ProviderError`.
 */
export async function verifyLogoutToken(token: string, rules: LogoutTokenRules): Promise<ProviderLogout> {
  const { issuer, clientId, now, keys } = rules;
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    algorithms: SIGNATURE_ALGORITHMS,
    issuer,
    audience: clientId,
    clockTolerance: TOLERATED_SECONDS,
    currentDate: new Date(now),
    requiredClaims: ['iat', 'jti', 'events'],
  });
  if (!TYPES.has(protectedHeader.typ?.toLowerCase())) throw refused('has another type');
  if (!hasLogoutEvent(payload)) throw refused('names no logout event');
  if (payload.nonce !== undefined) throw refused('has a nonce, so it is an ID token');
  const { iat = 0, exp, jti = '' } = payload;
  const seconds = Math.floor(now / 1000);
  if (iat > seconds + TOLERATED_SECONDS) throw refused('was issued in the future');
  const end = exp ?? iat + LONGEST_AGE_SECONDS;
  if (end + TOLERATED_SECONDS <= seconds) throw refused('is too old');
  if (end > seconds + DAY_SECONDS) throw refused('is valid for too long');
  if (jti === '' || jti.length > LONGEST_ID) throw refused('has no usable id');
  const sid = idOf(payload.sid);
  const subject = idOf(payload.sub);
  if (sid === null && subject === null) throw refused('names neither a session nor a person');
  return { issuer, sid, subject, id: jti, endsAt: (end + TOLERATED_SECONDS + 1) * 1000 };
}

function hasLogoutEvent({ events }: JWTPayload): boolean {
  return isRecord(events) && Object.hasOwn(events, LOGOUT_EVENT) && isRecord(events[LOGOUT_EVENT]);
}

/**
 * @returns the id in a claim, or null if the claim is missing. Throws if the claim is not a text of suitable length.
 */
function idOf(value: unknown): string | null {
  if (value === undefined) return null;
  if (typeof value === 'string' && value !== '' && value.length <= LONGEST_ID) return value;
  throw refused('has an id that is no text');
}

function refused(why: string): ProviderError {
  return new ProviderError('failed', `The logout token ${why}`);
}
