import { type RuleOrigin, type ScopeSet, scopeList, scopeSet } from '@svc/auth-core';
import { isScope } from '@svc/contract';
import { nullable } from './table.ts';

/**
 * Column of scopes as their names, separated by spaces, because the bits of a scope set are an internal detail of
 * auth-core. Unknown names are ignored, so they grant nothing.
 */
export const scopeNames = {
  isNullable: false,
  store: (set: ScopeSet) => scopeList(set).join(' '),
  load: (text: string) => scopeSet(text.split(' ').filter(isScope)),
};

/**
 * Fields of a stored token or sign-in that name the trust rule (which lets CI jobs sign in) through which it was
 * created. All three are null if there is no such rule.
 */
export interface RuleFields {
  readonly ruleId: string | null;
  readonly ruleSubject: string | null;
  readonly ruleRun: string | null;
}

export const RULE_COLUMNS = { ruleId: nullable, ruleSubject: nullable, ruleRun: nullable };

export function ruleFields(rule: RuleOrigin | null): RuleFields {
  return { ruleId: rule?.id ?? null, ruleSubject: rule?.subject ?? null, ruleRun: rule?.run ?? null };
}

export function ruleOf({ ruleId, ruleSubject, ruleRun }: RuleFields): RuleOrigin | null {
  return ruleId === null ? null : { id: ruleId, subject: ruleSubject ?? '', run: ruleRun ?? '' };
}
