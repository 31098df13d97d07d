import { type ErrorCode, ROLES, type Role, SCOPES, type Scope } from '@svc/contract';
import fc from 'fast-check';
import { expect } from 'vitest';
import { LOCAL_ORIGIN } from '../audit.ts';
import { keyCredential } from '../credentials/key-pair.ts';
import { signInCredential } from '../credentials/sign-in.ts';
import { signedCredential } from '../credentials/signed-credential.ts';
import { Refusal } from '../errors.ts';
import type { Account, Caller, Credential } from '../principal.ts';
import { effectiveScopes, roleAllowance, type ScopeSet, scopeSet } from '../scopes.ts';

/** Start time of the test clock, which is in 2030 and on a whole second because tokens have times in whole seconds. */
export const NOON = Date.UTC(2030, 0, 1, 12);

export const KEY: Credential = keyCredential('key-1', 300);
export const SIGN_IN: Credential = signInCredential('sign-in-1', { limited: false });
export const BEARER: Credential = signedCredential('bearer', 'b-1');

export function accountOf(role: Role, change: Partial<Account> = {}): Account {
  return {
    id: `${role}-id`,
    email: `${role.replace(' ', '-').toLowerCase()}@lab.test`,
    name: role,
    role,
    status: 'Active',
    accessKey: 'svc_000000000000000000000000',
    teams: [],
    createdAt: NOON - 1000,
    lastSignInAt: null,
    signInEpoch: 0,
    sparedSignIn: null,
    temporaryPasswordUntil: null,
    defaultPassword: false,
    ...change,
  };
}

/** @returns a caller as `Authenticator.authenticate` would create it, with those granted scopes that the role allows */
export function callerOf(role: Role, granted?: ScopeSet | Scope[], change: Partial<Caller> = {}): Caller {
  const set = Array.isArray(granted) ? scopeSet(granted) : (granted ?? roleAllowance(role));
  return {
    account: accountOf(role),
    credential: KEY,
    scopes: effectiveScopes(set, role),
    expiresAt: null,
    grantsUntil: null,
    extended: false,
    teamId: null,
    from: LOCAL_ORIGIN,
    ...change,
  };
}

export const anyRole = fc.constantFrom(...ROLES);
export const anyScopeSet = fc.subarray([...SCOPES]).map((scopes) => scopeSet(scopes));

/** @returns every subset of a list, beginning with the empty subset. Each has the order of the list. */
export function subsetsOf<T>(all: readonly T[]): T[][] {
  return Array.from({ length: 2 ** all.length }, (_, bits) => all.filter((_, index) => bits & (1 << index)));
}

/** @returns the refusal that `work` throws, or fails the test if `work` does not throw a refusal */
export function refusalOf(work: () => unknown): Refusal {
  try {
    work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  return expect.unreachable('nothing was refused');
}

/** @returns the refusal with which `work` throws or rejects, or fails the test if there is no refusal */
export async function refusalOfAsync(work: () => unknown): Promise<Refusal> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  return expect.unreachable('nothing was refused');
}

/** @returns the result of a decision, or the public code of its refusal, so that a test can compare it with a table */
export function outcomeOf<T>(work: () => T): T | ErrorCode {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}
