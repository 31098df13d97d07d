import type { RevocationLookup } from '../ports/index.ts';
import type { Claims } from '../tokens/claims.ts';

/* Prefix of the names of agent groups. A group contains the `svc-mcp` tokens that have its name in the claim `parents`.
   A new token gets the name of the current group. "Stop every agent" revokes this name, which ends all tokens of the
   group, even tokens that this server has never seen. Later tokens get the name of the next group. */

const PREFIX = 'agents-';

/** Group of the tokens of earlier versions, which name no group. */
const FIRST_GROUP = `${PREFIX}0`;

/** @returns the group to which new `svc-mcp` tokens belong, which is the lowest group that was not revoked */
export function currentAgentGroup(revocations: RevocationLookup): string {
  let number = 0;
  while (revocations.find(`${PREFIX}${number}`) !== undefined) number++;
  return `${PREFIX}${number}`;
}

/** @returns the parents that a token names. A token of an agent from an earlier version gets the first group. */
export function parentsOf({
  aud,
  agent,
  parents = [],
}: Pick<Claims, 'aud' | 'agent' | 'parents'>): readonly string[] {
  const isOfAgent = aud === 'svc-mcp' || agent !== undefined;
  const namesGroup = !isOfAgent || parents.some((id) => id.startsWith(PREFIX));
  return namesGroup ? parents : [...parents, FIRST_GROUP];
}
