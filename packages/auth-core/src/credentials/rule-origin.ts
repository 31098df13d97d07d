import type { Caller, RuleOrigin } from '../principal.ts';
import type { Claims } from '../tokens/claims.ts';

type RuleClaims = Pick<Claims, 'rule' | 'rule_subject' | 'rule_run'>;

/** @returns the claims that name the trust rule of a token, or no claims if the token comes from no rule */
export function ruleClaims({ credential: { rule } }: Pick<Caller, 'credential'>): RuleClaims {
  return rule === null ? {} : { rule: rule.id, rule_subject: rule.subject, rule_run: rule.run };
}

/** @returns the trust rule that a token comes from, or null if it comes from no rule */
export function ruleOriginOf({ rule, rule_subject = '', rule_run = '' }: RuleClaims): RuleOrigin | null {
  return rule === undefined ? null : { id: rule, subject: rule_subject, run: rule_run };
}
