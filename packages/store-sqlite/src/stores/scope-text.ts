import { type ScopeSet, scopeList, scopeSet } from '@svc/auth-core';
import { isScope } from '@svc/contract';

/**
 * Converts scopes to the text that the tables store. It contains names, because the bits of a scope set are internal to
 * the core.
 */
export function scopeText(set: ScopeSet): string {
  return scopeList(set).join(' ');
}

/** Converts stored text to scopes. Unknown names are ignored, so they grant nothing. */
export function scopesOf(text: string): ScopeSet {
  return scopeSet(text.split(' ').filter(isScope));
}
