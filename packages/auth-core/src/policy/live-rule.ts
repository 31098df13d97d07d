import type { TrustRuleStates } from '../ports/index.ts';

/**
 * @returns whether credentials of a trust rule are still valid: the rule exists and is not paused, and the same holds
 * for the rules with whose tokens it was made. No expiry is checked, because no credential outlives its rule.
 */
export function isLiveRule(rules: TrustRuleStates, id: string): boolean {
  for (let next: string | null = id; next !== null; ) {
    const rule = rules.byId(next);
    if (rule === undefined || rule.paused) return false;
    next = rule.parentId;
  }
  return true;
}
