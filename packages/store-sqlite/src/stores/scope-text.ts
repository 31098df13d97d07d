import { type ScopeSet, scopeList, scopeSet } from '@svc/auth-core';
import { isScope } from '@svc/contract';

/** @returns scopes as the tables store them: by name, because the bits are internal to the core */
export function scopeText(set: ScopeSet): string {
  return scopeList(set).join(' ');
}

/** Unknown names grant nothing. */
export function scopesOf(text: string): ScopeSet {
  return scopeSet(text.split(' ').filter(isScope));
}
