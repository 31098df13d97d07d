import type { RevocationLookup } from '../ports/index.ts';
import type { Claims } from '../tokens/claims.ts';

/* Prefix of the names of agent groups. A group contains the `svc-mcp` tokens that have its name in the claim `parents`.
   A new token gets the name of the current group. "Stop every agent" revokes this name, which ends all tokens of the
   group, even tokens that this server has never seen. Later tokens get the name of the next group. */

const PREFIX = 'agents-';

/**
 * Name of the group to which `svc-mcp` tokens of earlier versions belong, because these tokens contain no group name.
 */
const FIRST_GROUP = `${PREFIX}0`;

/** @returns whether an id in the claim `parents` is the name of an agent group and not the id of a credential */
export function isAgentGroup(id: string): boolean {
  return id.startsWith(PREFIX);
}

/** @returns the group to which new `svc-mcp` tokens belong, which is the lowest group that was not revoked */
export function currentAgentGroup(revocations: RevocationLookup): string {
  let number = 0;
  while (revocations.find(`${PREFIX}${number}`) !== undefined) number++;
  return `${PREFIX}${number}`;
}

/**
 * @returns the ids in the claim `parents` of a token. If the token belongs to an agent and names no group, because an
 * earlier version minted it, `FIRST_GROUP` is added.
 */
export function parentsOf({
  aud,
  agent,
  parents = [],
}: Pick<Claims, 'aud' | 'agent' | 'parents'>): readonly string[] {
  const isOfAgent = aud === 'svc-mcp' || agent !== undefined;
  const namesGroup = !isOfAgent || parents.some(isAgentGroup);
  return namesGroup ? parents : [...parents, FIRST_GROUP];
}
