import type { TrustRuleStates } from '../ports/index.ts';

/**
 * @returns whether credentials that a CI job got through a trust rule are still valid. The rule must exist and must not
 * be paused. If it was created with a token of another rule (its parent), the same applies to the parent, to the parent
 * of the parent, and so on. The expiry of the rule need not be checked, because each of these credentials expires no
 * later than the rule
 */
export function isLiveRule(rules: TrustRuleStates, id: string): boolean {
  for (let next: string | null = id; next !== null; ) {
    const rule = rules.byId(next);
    if (rule === undefined || rule.paused) return false;
    next = rule.parentId;
  }
  return true;
}
