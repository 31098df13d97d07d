import type { TrustRuleStates } from '../ports/index.ts';

/**
 * @returns whether credentials from a trust rule are still valid. The rule must exist and must not be paused. The same
 * applies to the rule with whose token it was created, and so on up to the first rule. Expiry is not checked here,
 * because no credential outlives its rule.
 */
export function isLiveRule(rules: TrustRuleStates, id: string): boolean {
  for (let next: string | null = id; next !== null; ) {
    const rule = rules.byId(next);
    if (rule === undefined || rule.paused) return false;
    next = rule.parentId;
  }
  return true;
}
