import { type Caller, missing, NO_SCOPES, Refusal, scopeList, scopeSet } from '@svc/auth-core';
import { isRecord, isSafeAddress, isScope, type Scope } from '@svc/contract';
import type { TrustClaim, TrustedKey, TrustRule } from '../ports/trust-rules.ts';
import { checkName } from '../rules/name.ts';
import { missingTenant } from './shared-issuers.ts';

/**
 * Maximum number of claims in a trust rule. This limit and those below restrict the memory that a rule can take,
 * because all rules are kept in memory.
 */
const MOST_CLAIMS = 16;
const MOST_VALUES = 64;
const MOST_KEYS = 20;
const LONGEST_CLAIM = 128;
const LONGEST_VALUE = 512;
const LONGEST_ADDRESS = 512;
const LONGEST_KEY = 4096;
const LONGEST_MINUTES = 720;
const DEFAULT_MINUTES = 60;
/**
 * Claims that do not identify a project or CI job, because every token of the issuer has them or because they differ in
 * every token. A trust rule must require some other claim.
 */
const NOT_IDENTIFYING = new Set(['iss', 'aud', 'exp', 'nbf', 'iat', 'jti']);
const PUBLIC_MEMBERS = ['kty', 'kid', 'alg', 'use', 'n', 'e', 'crv', 'x', 'y'];
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

export interface NewTrustRule {
  readonly name: string;
  readonly issuer: string;
  readonly audience?: string | null | undefined;
  readonly jwks?: Readonly<Record<string, unknown>> | null | undefined;
  readonly claims?: readonly TrustClaim[] | undefined;
  readonly scopes: readonly string[];
  readonly teamId?: string | null | undefined;
  readonly maxMinutes?: number | undefined;
}

type CheckedRule = Pick<
  TrustRule,
  'name' | 'issuer' | 'audience' | 'jwks' | 'claims' | 'scopes' | 'teamId' | 'maxMinutes'
>;

/**
 * @returns the checked fields of a new trust rule. Throws the refusal `invalid_rule` with the name of the first field
 * that is not valid (contract 10.3)
 */
export function checkTrustRule(
  input: NewTrustRule,
  caller: Caller,
  isTeam: (id: string) => boolean,
): CheckedRule {
  const issuer = checkIssuer(input.issuer);
  const claims = checkClaims(input.claims ?? []);
  const tenant = missingTenant(issuer, claims);
  if (tenant !== undefined) {
    const message = `claims: tokens of all customers of ${issuer.hostname} have the same issuer, so pin ${tenant.join(' or ')}`;
    throw invalid('claims', message);
  }
  return {
    name: checkRuleName(input.name),
    issuer: input.issuer,
    audience: checkAudience(input.audience ?? null),
    jwks: checkKeys(input.jwks ?? null),
    claims,
    scopes: checkScopes(input.scopes, caller),
    teamId: checkTeam(input.teamId ?? caller.teamId, caller, isTeam),
    maxMinutes: checkMinutes(input.maxMinutes ?? DEFAULT_MINUTES),
  };
}

export function checkRuleName(name: string): string {
  try {
    return checkName(name);
  } catch {
    throw invalid('name', 'name: must have 1 to 100 characters and no control characters');
  }
}

function invalid(field: string, message: string): Refusal {
  return new Refusal('invalid_rule', message, { field, message });
}

function checkIssuer(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain = text.length <= LONGEST_ADDRESS && /^[\x21-\x7e]+$/.test(text) && !/[?#@\\]/.test(text);
  if (url === undefined || !plain || !isSafeAddress(url)) {
    throw invalid('issuer', 'issuer: must be an https address, or http on a loopback host, without a query');
  }
  return url;
}

function checkAudience(audience: string | null): string | null {
  if (audience !== null && (audience === '' || audience.length > LONGEST_ADDRESS)) {
    throw invalid('audience', `audience: must have 1 to ${LONGEST_ADDRESS} characters`);
  }
  return audience;
}

function checkClaims(claims: readonly TrustClaim[]): TrustClaim[] {
  if (claims.length < 1 || claims.length > MOST_CLAIMS)
    throw invalid('claims', `claims: must name 1 to ${MOST_CLAIMS} claims`);
  const names = new Set(claims.map(({ claim }) => claim));
  if (names.size !== claims.length) throw invalid('claims', 'claims: must name each claim once');
  return claims.map(({ claim, anyOf }) => {
    if (claim === '' || claim.length > LONGEST_CLAIM)
      throw invalid('claims', `claims: the name of a claim must have 1 to ${LONGEST_CLAIM} characters`);
    if (NOT_IDENTIFYING.has(claim)) throw invalid('claims', `claims: ${claim} does not identify a workload`);
    if (anyOf.length < 1 || anyOf.length > MOST_VALUES || !anyOf.every(isUsableValue)) {
      const message = `claims: anyOf must have 1 to ${MOST_VALUES} texts of 1 to ${LONGEST_VALUE} characters, whole numbers or booleans`;
      throw invalid('claims', message);
    }
    return { claim, anyOf: [...anyOf] };
  });
}

/**
 * @returns whether the value can be compared with a token's claim. Numbers beyond 2^53 are refused: JSON parsers round
 * them, so the claim of another project could become equal to the value
 */
function isUsableValue(value: string | number | boolean): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value);
  return typeof value === 'boolean' || (value !== '' && value.length <= LONGEST_VALUE);
}

function checkKeys(jwks: Readonly<Record<string, unknown>> | null): TrustRule['jwks'] {
  if (jwks === null) return null;
  const keys: unknown = jwks.keys;
  if (!Array.isArray(keys) || keys.length < 1 || keys.length > MOST_KEYS)
    throw invalid('jwks', `jwks: must have the member keys with 1 to ${MOST_KEYS} keys`);
  const usable = keys.map(publicKeyOf).filter((key) => key !== undefined);
  if (usable.length === 0)
    throw invalid('jwks', 'jwks: has no RSA key, no EC key of P-256 and no OKP key of Ed25519');
  return { keys: usable };
}

function publicKeyOf(key: unknown): TrustedKey | undefined {
  if (!isRecord(key)) throw invalid('jwks', 'jwks: a key is not an object');
  if (PRIVATE_MEMBERS.some((member) => Object.hasOwn(key, member)))
    throw invalid('jwks', 'jwks: has a private key; paste the public keys only');
  const members = PUBLIC_MEMBERS.flatMap((name): [string, string][] => {
    const value = key[name];
    return typeof value === 'string' && value.length <= LONGEST_KEY ? [[name, value]] : [];
  });
  const found: TrustedKey = Object.fromEntries(members);
  const has = (...names: string[]) => names.every((name) => Object.hasOwn(found, name));
  const isUsable =
    (found.kty === 'RSA' && has('n', 'e')) ||
    (found.kty === 'EC' && found.crv === 'P-256' && has('x', 'y')) ||
    (found.kty === 'OKP' && found.crv === 'Ed25519' && has('x'));
  return isUsable ? found : undefined;
}

function checkScopes(asked: readonly string[], caller: Caller): TrustRule['scopes'] {
  const unknown = asked.filter((scope) => !isScope(scope));
  if (unknown.length > 0 || asked.length === 0)
    throw invalid('scopes', 'scopes: must name at least one of read, sessions, devices and admin');
  const wanted = scopeSet(asked as readonly Scope[]);
  const beyond = missing(wanted, caller.scopes);
  if (beyond !== NO_SCOPES)
    throw invalid('scopes', `scopes: your credential does not have ${scopeList(beyond).join(', ')}`);
  return wanted;
}

function checkTeam(teamId: string | null, caller: Caller, isTeam: (id: string) => boolean): string | null {
  if (teamId !== null && !isTeam(teamId)) throw invalid('teamId', 'teamId: is not a team');
  if (caller.teamId !== null && teamId !== caller.teamId)
    throw invalid('teamId', 'teamId: your credential is bound to another team');
  return teamId;
}

function checkMinutes(minutes: number): number {
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > LONGEST_MINUTES)
    throw invalid('maxMinutes', `maxMinutes: must be a whole number from 1 to ${LONGEST_MINUTES}`);
  return minutes;
}
