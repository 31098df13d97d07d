import { type ScopeSet, scopeList, scopeSet } from '@svc/auth-core';
import { isScope } from '@svc/contract';

/**
 * Converts scopes to the text that the tables store. The text contains the names of the scopes, because the bits of a
 * scope set are an internal detail of auth-core.
 */
export function scopeText(set: ScopeSet): string {
  return scopeList(set).join(' ');
}

/** Converts stored text to scopes. Unknown names are ignored, so they grant nothing. */
export function scopesOf(text: string): ScopeSet {
  return scopeSet(text.split(' ').filter(isScope));
}
