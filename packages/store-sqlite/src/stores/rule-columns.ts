import type { RuleOrigin } from '@svc/auth-core';

/**
 * Columns of a token or sign-in that name the trust rule (which lets CI jobs sign in) through which it was created. All
 * three are null if there is no such rule.
 */
export interface RuleColumns {
  readonly ruleId: string | null;
  readonly ruleSubject: string | null;
  readonly ruleRun: string | null;
}

export function ruleColumns(rule: RuleOrigin | null): RuleColumns {
  return { ruleId: rule?.id ?? null, ruleSubject: rule?.subject ?? null, ruleRun: rule?.run ?? null };
}

export function ruleOf(row: {
  readonly rule_id: string | null;
  readonly rule_subject: string | null;
  readonly rule_run: string | null;
}): RuleOrigin | null {
  return row.rule_id === null
    ? null
    : { id: row.rule_id, subject: row.rule_subject ?? '', run: row.rule_run ?? '' };
}
