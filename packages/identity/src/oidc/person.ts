import { isRecord, type ProviderGroups, type ProviderPerson } from '@svc/auth-core';

/** Claims about a person, from the ID token and from the provider's userinfo endpoint. */
export type Claims = Readonly<Record<string, unknown>>;

const LONGEST_TEXT = 512;

/** @returns whether the ID token lacks the e-mail address or the groups, which the userinfo endpoint may have */
export function isIncomplete(claims: Claims, groupsClaim: string): boolean {
  return textOf(claims, 'email') === null || groupsOf(claims, groupsClaim).known === null;
}

/**
 * Describes the person of a verified ID token. A fact is taken from the ID token if present, otherwise from the
 * userinfo response. `email_verified` is taken from the same source as the address, because it applies only to that
 * address.
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
    groups: isOverage ? inToken : groups,
  };
}

/** @returns the value of the claim, or null unless it is a text of at most `LONGEST_TEXT` characters */
function textOf(claims: Claims, name: string): string | null {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_TEXT ? value : null;
}

function nameIn(claims: Claims): string | null {
  return textOf(claims, 'name') ?? textOf(claims, 'preferred_username');
}

/**
 * @returns whether the e-mail address is verified, or null if the claim is missing. Some providers send the text `true`
 * instead of the boolean; every other value counts as not verified.
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
  // Entra ID sends `_claim_names` or `hasgroups` in place of the groups of a person who has too many (overage).
  return { known: null, why: elsewhere || claims.hasgroups === true ? 'overage' : 'absent' };
}

/** @returns the claim with exactly this name, or the value at the path of names, such as `realm_access.roles` */
function valueAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const name of path.split('.')) {
    if (!isRecord(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}
