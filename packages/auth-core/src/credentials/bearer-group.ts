import type { RevocationLookup } from '../ports/index.ts';
import type { Claims } from '../tokens/claims.ts';
import { isAgentGroup, parentsOf } from './agent-group.ts';

/* The bearer and session tokens of an account belong to numbered groups. A token names its group in the claim
   `parents`; a token that names none belongs to the first group. An account with too many revocation records gets one
   record that revokes the current group instead (see `Cascade`). Its later tokens belong to the next group. A record of
   a group is kept longer than a token can live, so the number of a removed record can be used again. */

const PREFIX = 'bearers-';

/** @returns whether an id in the claim `parents` is the name of a group and not the id of a credential */
export function isGroup(id: string): boolean {
  return id.startsWith(PREFIX) || isAgentGroup(id);
}

/** @returns the group of an account's new tokens, which is the lowest group that is not revoked */
export function currentBearerGroup(revocations: RevocationLookup, accountId: string): string {
  let number = 0;
  while (revocations.find(groupName(accountId, number)) !== undefined) number++;
  return groupName(accountId, number);
}

/**
 * @returns the claim `parents` of a new token, with the name of the account's current group. The first group is left
 * out, because a token without a group belongs to it.
 */
export function withBearerGroup(
  parents: readonly string[],
  revocations: RevocationLookup,
  accountId: string,
): readonly string[] {
  if (parents.some((id) => id.startsWith(PREFIX))) return parents;
  const group = currentBearerGroup(revocations, accountId);
  return group === groupName(accountId, 0) ? parents : [...parents, group];
}

/** @returns the ids in the claim `parents` of a token, with the groups to which it belongs without naming them */
export function ancestorsOf(claims: Pick<Claims, 'aud' | 'agent' | 'parents' | 'sub'>): readonly string[] {
  const parents = parentsOf(claims);
  return parents.some((id) => id.startsWith(PREFIX)) ? parents : [...parents, groupName(claims.sub, 0)];
}

function groupName(accountId: string, number: number): string {
  return `${PREFIX}${accountId}-${number}`;
}
