import type { Caller, RuleOrigin } from '../principal.ts';
import type { Claims } from '../tokens/claims.ts';

type RuleClaims = Pick<Claims, 'rule' | 'rule_subject' | 'rule_run'>;

/**
 * @returns the claims that name the trust rule (rule that lets CI jobs sign in with their issuer's token) through which
 * the caller's credential was created, or no claims if there is none
 */
export function ruleClaims({ credential: { rule } }: Pick<Caller, 'credential'>): RuleClaims {
  return rule === null ? {} : { rule: rule.id, rule_subject: rule.subject, rule_run: rule.run };
}

/**
 * @returns the trust rule (rule that lets CI jobs sign in with their issuer's token) through which a token was created,
 * or null if there is none
 */
export function ruleOriginOf({ rule, rule_subject = '', rule_run = '' }: RuleClaims): RuleOrigin | null {
  return rule === undefined ? null : { id: rule, subject: rule_subject, run: rule_run };
}
