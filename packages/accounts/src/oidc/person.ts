import { isRecord } from '@svc/contract';
import type { ProviderGroups, ProviderPerson } from './provider-person.ts';

/** Claims about a person, from the ID token and from the provider's userinfo endpoint. */
export type Claims = Readonly<Record<string, unknown>>;

const LONGEST_TEXT = 512;

/** @returns whether the ID token lacks the e-mail address or the groups. They may then be in the userinfo response. */
export function isIncomplete(claims: Claims, groupsClaim: string): boolean {
  return textOf(claims, 'email') === null || groupsOf(claims, groupsClaim).known === null;
}

/**
 * Describes the person to whom a verified ID token belongs. Each value is taken from the ID token, or from the userinfo
 * response if the token lacks it. Exception: `email_verified` always comes from the same source as the address, because
 * it makes no statement about another address.
 */
export function personOf(
  issuer: string,
  subject: string,
  idToken: Claims,
  userInfo: Claims,
  groupsClaim: string,
): ProviderPerson {
  const mailSource = textOf(idToken, 'email') === null ? userInfo : idToken;
  const inToken = groupsOf(idToken, groupsClaim);
  const groups = inToken.known === null ? groupsOf(userInfo, groupsClaim) : inToken;
  const isOverage = inToken.known === null && inToken.why === 'overage' && groups.known === null;
  return {
    issuer,
    subject,
    sid: textOf(idToken, 'sid'),
    email: textOf(mailSource, 'email')?.trim() ?? null,
    isEmailVerified: verifiedOf(mailSource),
    name: nameIn(idToken) ?? nameIn(userInfo),
    authenticatedAt: timeOf(idToken, 'auth_time'),
    groups: isOverage ? inToken : groups,
  };
}

/** @returns the value of a claim, or null if it is missing, empty, no text, or longer than `LONGEST_TEXT` characters */
function textOf(claims: Claims, name: string): string | null {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_TEXT ? value : null;
}

/** @returns the time of a claim in ms since 1970, or null if it is missing or not a time */
function timeOf(claims: Claims, name: string): number | null {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value * 1000 : null;
}

function nameIn(claims: Claims): string | null {
  return textOf(claims, 'name') ?? textOf(claims, 'preferred_username');
}

/**
 * @returns whether the e-mail address is verified, or null if the claim is missing. The text `true`, which some
 * providers send, counts like the boolean. Every other value counts as not verified.
 */
function verifiedOf(claims: Claims): boolean | null {
  const value = Object.hasOwn(claims, 'email_verified') ? claims.email_verified : undefined;
  return value === undefined || value === null ? null : value === true || value === 'true';
}

function groupsOf(claims: Claims, path: string): ProviderGroups {
  const value = valueAt(claims, path);
  if (typeof value === 'string') return { known: [value] };
  if (Array.isArray(value))
    return { known: value.filter((group): group is string => typeof group === 'string') };
  const elsewhere = isRecord(claims._claim_names) && Object.hasOwn(claims._claim_names, path);
  // If a person is in too many groups, Entra ID sends `_claim_names` or `hasgroups` in place of the groups (overage).
  return { known: null, why: elsewhere || claims.hasgroups === true ? 'overage' : 'absent' };
}

/**
 * @returns the value of the claim with this name. If there is none, the name is read as a path, such as
 * `realm_access.roles`. Undefined if that does not exist either.
 */
function valueAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const name of path.split('.')) {
    if (!isRecord(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}
