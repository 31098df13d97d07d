import { isSafeAddress } from '@svc/contract';
import type { Reader } from './reader.ts';
import { entriesOf, oneOf, type Rule, ruled, text, Unusable } from './rules.ts';

/** Roles that a group of the provider can give to its members. No group gives Super admin (contract 10.1). */
const MAPPED_ROLES = ['Member', 'Admin'] as const;

/**
 * Parses the issuer of an OpenID Connect provider. The text is kept unchanged, because the provider's documents and
 * tokens must name exactly this issuer.
 */
const oidcIssuer: Rule<string> = ruled('`https://` address, or `http://` on loopback', (value) => {
  const issuer = value.trim();
  const url = URL.canParse(issuer) ? new URL(issuer) : null;
  const isPlain = /^https?:\/\/[^\s\p{Cc}\p{Cs}\\?#@]+$/u.test(issuer) && issuer.length <= 2048;
  if (url === null || !isPlain)
    throw new Unusable('is not an http(s) address without user, query and fragment');
  if (!isSafeAddress(url)) throw new Unusable('must begin with https:// (http:// only on loopback)');
  return issuer;
});

const scopes: Rule<string> = ruled('space-separated scopes, with `openid`', (value) => {
  const names = value.trim().split(/\s+/);
  if (!names.every((name) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(name)) || value.length > 1024)
    throw new Unusable('is not a list of scopes separated by spaces');
  if (!names.includes('openid')) throw new Unusable('does not contain the scope openid');
  return names.join(' ');
});

/** Parses a name that is shown on a page or sent to the provider. */
const shortText: Rule<string> = ruled('text of at most 200 characters', (value) => {
  const name = text(value);
  if (!/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,200}$/u.test(name))
    throw new Unusable('is not a text of 1 to 200 characters');
  return name;
});

/**
 * Parses `group=target` pairs. The last `=` separates them, because the name of a group may contain `=`, as in `cn=qa`.
 */
function pairs(value: string): (readonly [group: string, target: string])[] {
  return entriesOf(value, 'lists no group').map((entry) => {
    const at = entry.lastIndexOf('=');
    const group = entry.slice(0, Math.max(at, 0)).trim();
    const target = entry.slice(at + 1).trim();
    if (group === '' || target === '') throw new Unusable('has an entry that is not <group>=<target>');
    return [group, target];
  });
}

type RoleMap = readonly { readonly group: string; readonly role: (typeof MAPPED_ROLES)[number] }[];

/** Parses the mapping of groups to roles. Leaves out entries that map to Super admin, and calls `ignored` for each. */
function roleMap(ignored: () => void): Rule<RoleMap> {
  return ruled('comma list of `<group>=Member` or `<group>=Admin`', (value) =>
    pairs(value).flatMap(([group, target]) => {
      const role = MAPPED_ROLES.find((each) => each.toLowerCase() === target.toLowerCase());
      if (role !== undefined) return [{ group, role }];
      if (target.toLowerCase() !== 'super admin')
        throw new Unusable('maps a group to a role other than Member or Admin');
      ignored();
      return [];
    }),
  );
}

const teamMap = ruled('comma list of `<group>=<team>`', (value) =>
  pairs(value).map(([group, team]) => ({ group, team })),
);

/**
 * Reads the settings for sign-in through an OpenID Connect provider (contract 10.1). An unusable mapping of groups
 * stops the start, because without it everyone whom the provider knows could sign in.
 *
 * @returns null unless issuer and client id are both set
 */
export function readOidc(reader: Reader) {
  const issuer = reader.value('SVC_OIDC_ISSUER', oidcIssuer);
  const clientId = reader.value('SVC_OIDC_CLIENT_ID', shortText);
  const settings = {
    /** Secret of the client, or null for a public client, which proves itself with PKCE alone. */
    clientSecret: reader.minorSecret('SVC_OIDC_CLIENT_SECRET', text) ?? null,
    name: reader.value('SVC_OIDC_NAME', shortText),
    /** Scopes to request, separated by spaces. */
    scopes: reader.value('SVC_OIDC_SCOPES', scopes) ?? 'openid profile email',
    /** Name of the claim that holds a person's groups, or a path of names separated by dots. */
    groupsClaim: reader.value('SVC_OIDC_GROUPS_CLAIM', shortText) ?? 'groups',
    /** Role that each group gives. Null if roles are managed in the lab. Empty if the setting has no usable entry. */
    roles:
      reader.vital(
        'SVC_OIDC_ROLES',
        roleMap(() => {
          reader.warnings.push('SVC_OIDC_ROLES maps a group to Super admin, which is never mapped; ignored');
        }),
      ) ?? null,
    /** For each mapped group, the name of the team that its members get, or null if teams are managed in the lab. */
    teams: reader.vital('SVC_OIDC_TEAMS', teamMap) ?? null,
    /**
     * Whether the server creates an account for a new person: never (`off`), or if one of their groups is mapped to a
     * role or team (`mapped`).
     */
    signUp: reader.value('SVC_OIDC_SIGN_UP', oneOf(['off', 'mapped'])) ?? 'off',
    /**
     * What links a person at the provider to the account with the same e-mail address: the person signs in with the
     * password of the account once, or the provider has verified the address.
     */
    link: reader.value('SVC_OIDC_LINK', oneOf(['password', 'verified-email'])) ?? 'password',
  } as const;
  if (issuer === undefined && clientId === undefined) return null;
  if (issuer === undefined || clientId === undefined) {
    const missing = issuer === undefined ? 'SVC_OIDC_ISSUER' : 'SVC_OIDC_CLIENT_ID';
    reader.warnings.push(`Sign-in through a provider is off: ${missing} has no usable value`);
    return null;
  }
  if (settings.signUp === 'mapped' && settings.roles === null && settings.teams === null)
    reader.warnings.push(
      'SVC_OIDC_SIGN_UP=mapped has no effect: neither SVC_OIDC_ROLES nor SVC_OIDC_TEAMS is set',
    );
  return {
    ...settings,
    /** Issuer, exactly as configured, because the provider's documents and tokens must contain the same text. */
    issuer,
    clientId,
    /** Name of the provider, shown on the sign-in page. */
    name: settings.name ?? new URL(issuer).hostname,
  };
}

/**
 * Returns which accounts are allowed to sign in with a password. Throws for an unusable value, so that the server does
 * not start. The default would be less strict than the operator intended, because it allows all accounts.
 */
export function readPasswordSignIn(reader: Reader): 'on' | 'break-glass' {
  return reader.vital('SVC_PASSWORD_SIGN_IN', oneOf(['on', 'break-glass'])) ?? 'on';
}
