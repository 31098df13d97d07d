import type { TrustRuleStates } from '../ports/index.ts';

/**
 * @returns whether credentials from a trust rule are still valid. The rule must exist and must not be paused. If it was
 * created with a token of another rule (its parent), the same applies to the parent, to the parent of the parent, and
 * so on. Expiry is not checked here, because no credential outlives its rule.
 */
export function isLiveRule(rules: TrustRuleStates, id: string): boolean {
  for (let next: string | null = id; next !== null; ) {
    const rule = rules.byId(next);
    if (rule === undefined || rule.paused) return false;
    next = rule.parentId;
  }
  return true;
}
