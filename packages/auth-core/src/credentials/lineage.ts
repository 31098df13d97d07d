import { Refusal } from '../errors.ts';
import type { RevocationLookup } from '../ports/index.ts';
import type { Credential } from '../principal.ts';

/** Maximum number of generations between a token and the first credential, so that a token stays short. */
const MOST_PARENTS = 64;

/** What decides whether a revocation ends a credential. */
export type Descent = Pick<Credential, 'id' | 'sourceSignIn'> & {
  /** Absent in credentials that a ticket of an earlier version names. */
  readonly parents?: readonly string[];
};

/**
 * @returns the ids that a token or sign-in names if it is made with the credential: those of its parents and its own.
 * Throws a refusal if there are too many generations.
 */
export function lineageOf({ id, parents = [] }: Descent): readonly string[] {
  if (parents.length >= MOST_PARENTS) {
    const message = `A token can be at most ${MOST_PARENTS} generations away from its key or sign-in.`;
    throw new Refusal('bad_request', 'too many generations', { message });
  }
  return id === '' ? parents : [...parents, id];
}

/**
 * @returns whether the credential was revoked, or descends from one whose revocation cascades (contract 10.4). Without
 * cascade, a token goes on when the key that it was minted with is revoked (specification 5.3.3).
 */
export function isRevoked(
  { id, parents = [], sourceSignIn }: Descent,
  revocations: RevocationLookup,
): boolean {
  if (revocations.find(id) !== undefined) return true;
  const cascades = (ancestor: string) => revocations.find(ancestor)?.cascades === true;
  return parents.some(cascades) || (sourceSignIn !== null && cascades(sourceSignIn));
}
