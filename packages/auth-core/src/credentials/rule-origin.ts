import type { Caller, RuleOrigin } from '../principal.ts';
import type { Claims } from '../tokens/claims.ts';

type RuleClaims = Pick<Claims, 'rule' | 'rule_subject' | 'rule_run' | 'rule_url'>;

/**
 * @returns the claims that name the trust rule (rule that lets CI jobs sign in with their issuer's token) through which
 * the caller's credential was created, or no claims if there is none
 */
export function ruleClaims({ credential: { rule } }: Pick<Caller, 'credential'>): RuleClaims {
  if (rule === null) return {};
  const { id, subject, run, url } = rule;
  return {
    rule: id,
    rule_subject: subject,
    rule_run: run,
    ...(url === undefined ? {} : { rule_url: url }),
  };
}

/**
 * @returns the trust rule (rule that lets CI jobs sign in with their issuer's token) through which a token was created,
 * or null if there is none
 */
export function ruleOriginOf(claims: RuleClaims): RuleOrigin | null {
  const { rule, rule_subject = '', rule_run = '', rule_url: url } = claims;
  if (rule === undefined) return null;
  return { id: rule, subject: rule_subject, run: rule_run, ...(url === undefined ? {} : { url }) };
}
