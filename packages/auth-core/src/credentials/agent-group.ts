import type { RevocationLookup } from '../ports/index.ts';
import type { Claims } from '../tokens/claims.ts';

/*
 * Every `svc-mcp` token names a group among its parents. "Stop every agent" revokes the current group, which ends all
 * tokens that name it, also tokens that this server has never seen, and the next tokens name the next group.
 */

const PREFIX = 'agents-';

/** Group of tokens that were minted before tokens named a group. */
const FIRST_GROUP = `${PREFIX}0`;

/** @returns the group that new `svc-mcp` tokens belong to, which is the first one that was not revoked */
export function currentAgentGroup(revocations: RevocationLookup): string {
  let number = 0;
  while (revocations.find(`${PREFIX}${number}`) !== undefined) number++;
  return `${PREFIX}${number}`;
}

/** @returns the parents that a token names. An `svc-mcp` token of an earlier version gets the first group. */
export function parentsOf({ aud, parents = [] }: Pick<Claims, 'aud' | 'parents'>): readonly string[] {
  const namesGroup = aud !== 'svc-mcp' || parents.some((id) => id.startsWith(PREFIX));
  return namesGroup ? parents : [...parents, FIRST_GROUP];
}
