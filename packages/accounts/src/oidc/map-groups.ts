import { isAtLeast, type Role } from '@svc/contract';
import type { ProviderGroups } from './provider-person.ts';

/** Roles to which a group can be mapped. Super admin is never mapped (contract 10.1). */
type MappedRole = Exclude<Role, 'Super admin'>;

/**
 * Roles and teams to which the operator maps the groups of the OpenID provider. A field is null if the roles or the
 * teams do not come from groups, but are set by Admins in the lab.
 */
export interface GroupRules {
  readonly roles: readonly { readonly group: string; readonly role: MappedRole }[] | null;
  readonly teams: readonly { readonly group: string; readonly team: string }[] | null;
}

export type MappedGroups =
  /**
   * The person is in too many groups, so the provider left the groups out of the ID token. The role and teams cannot be
   * decided.
   */
  | { readonly kind: 'unknown' }
  | {
      readonly kind: 'mapped';
      /** The highest role to which one of the person's groups is mapped, or null if none is mapped to a role. */
      readonly role: MappedRole | null;
      /** Names of the teams to which the person's groups are mapped. */
      readonly teams: ReadonlySet<string>;
    };

/**
 * Maps the groups of a person to a role and teams (contract 10.1). Several OpenID providers leave out the claim with
 * the groups if a person has none, so a missing claim means that the person has no groups.
 */
export function mapGroups(groups: ProviderGroups, rules: GroupRules): MappedGroups {
  const isNeeded = rules.roles !== null || rules.teams !== null;
  if (isNeeded && groups.known === null && groups.why === 'overage') return { kind: 'unknown' };
  const held = new Set(groups.known ?? []);
  const roles = (rules.roles ?? []).filter(({ group }) => held.has(group)).map(({ role }) => role);
  const teams = (rules.teams ?? []).filter(({ group }) => held.has(group)).map(({ team }) => team);
  return { kind: 'mapped', role: highest(roles), teams: new Set(teams) };
}

function highest(roles: readonly MappedRole[]): MappedRole | null {
  return roles.reduce<MappedRole | null>(
    (best, role) => (best === null || isAtLeast(role, best) ? role : best),
    null,
  );
}
