import { type ScopeSet, scopeList, scopeSet } from '@svc/auth-core';
import { isScope } from '@svc/contract';

/** Scopes as the tables hold them: names, because the bits are internal to auth-core. */
export function scopeText(set: ScopeSet): string {
  return scopeList(set).join(' ');
}

/** A name this version does not know grants nothing. */
export function scopesOf(text: string): ScopeSet {
  return scopeSet(text.split(' ').filter(isScope));
}
