import type { ResetLink, TrustRule } from '@svc/accounts';
import { scopeSet } from '@svc/auth-core';
import { idOf } from '@svc/auth-core/testing';

export function sampleTrustRule(name: string, owner: string, rest: Partial<TrustRule> = {}): TrustRule {
  return {
    id: idOf(name),
    ownerId: idOf(owner),
    name,
    issuer: 'https://issuer.example',
    audience: null,
    jwks: null,
    claims: [{ claim: 'repository_id', anyOf: ['74'] }],
    scopes: scopeSet(['sessions']),
    teamId: null,
    maxMinutes: 60,
    paused: false,
    createdAt: 2_000,
    lastUsedAt: null,
    expiresAt: null,
    parentId: null,
    runs: [],
    ...rest,
  };
}

export function sampleResetLink(name: string, account: string, rest: Partial<ResetLink> = {}): ResetLink {
  return { id: idOf(name), accountId: idOf(account), createdAt: 4_000, expiresAt: 604_000, ...rest };
}
