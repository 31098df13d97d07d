import { type Caller, Refusal, scopeSet } from '@svc/auth-core';
import { type Role, SCOPES, type Scope } from '@svc/contract';
import { expect } from 'vitest';

/** Time in 2030 on a whole second. */
export const NOON = Date.UTC(2030, 0, 1, 12);

/** Returns a caller with a role and with scopes, which are all scopes by default. */
export function callerOf(role: Role, scopes: readonly Scope[] = SCOPES): Caller {
  return {
    account: { id: `${role}-id`, email: 'somebody@lab.test', role },
    credential: { kind: 'key', id: 'key-1' },
    scopes: scopeSet([...scopes]),
    from: { address: '127.0.0.1', requestId: 'request-1' },
  } as unknown as Caller;
}

export function refusalOf(work: () => unknown): Refusal {
  try {
    work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  return expect.unreachable('nothing was refused');
}
