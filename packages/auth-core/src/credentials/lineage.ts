import { Refusal } from '../errors.ts';
import type { RevocationLookup } from '../ports/index.ts';
import type { Credential } from '../principal.ts';
import { isGroup } from './bearer-group.ts';

/** Maximum number of credentials that a token may name as its parents, so that tokens stay short. */
const MOST_PARENTS = 64;

/** The parts of a credential that decide whether a revocation ends it. */
export type Descent = Pick<Credential, 'id' | 'sourceSignIn'> & {
  /** Absent if an earlier version of svc stored the credential in a ticket (single-use token in a URL). */
  readonly parents?: readonly string[];
};

/**
 * @returns the ids that a token or sign-in stores if it is created with this credential: the ids of the credential's
 * parents, and its own. Throws a refusal if there are more than `MOST_PARENTS`.
 */
export function lineageOf({ id, parents = [] }: Descent): readonly string[] {
  if (parents.filter((parent) => !isGroup(parent)).length >= MOST_PARENTS) {
    const message = `A token can be at most ${MOST_PARENTS} generations away from its key or sign-in.`;
    throw new Refusal('bad_request', 'too many generations', { message });
  }
  return id === '' ? parents : [...parents, id];
}

/**
 * @returns whether the credential was revoked itself, or was minted from a credential whose revocation cascades, which
 * means that it also ends all tokens minted from it (contract 10.4). Without cascade, a token stays valid when the key
 * that it was minted with is revoked (specification 5.3.3).
 */
export function isRevoked(
  { id, parents = [], sourceSignIn }: Descent,
  revocations: RevocationLookup,
): boolean {
  if (revocations.find(id) !== undefined) return true;
  const cascades = (ancestor: string) => revocations.find(ancestor)?.cascades === true;
  return parents.some(cascades) || (sourceSignIn !== null && cascades(sourceSignIn));
}
