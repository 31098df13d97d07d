import type { ApiToken, AuditEntry, NewAccount, SignIn } from '../ports/index.ts';
import { scopeSet } from '../scopes.ts';
import { secretHash } from '../secrets/opaque.ts';

/** Key of the audit chain in tests. It is fixed, so that tests can contain the hashes of rows. */
export const TEST_AUDIT_KEY = 'a0'.repeat(32);

/* Functions that return complete and valid rows for tests. The name that is passed to a function makes its row
   unique, so that a test states only the values that matter to it. */

/** @returns a UUID v4 made from the name. Such UUIDs sort in the order of their names. */
export function idOf(name: string): string {
  const hex = Buffer.from(name).toString('hex').padEnd(30, '0').slice(0, 30);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-8${hex.slice(15, 18)}-${hex.slice(18)}`;
}

export function hashOf(name: string): string {
  return secretHash(name);
}

export function sampleAccount(name: string, rest: Partial<NewAccount> = {}): NewAccount {
  return {
    id: idOf(name),
    email: `${name}@svc.local`,
    name,
    role: 'Member',
    status: 'Active',
    accessKey: `svc_${name}`,
    passwordHash: null,
    temporaryPasswordUntil: null,
    defaultPassword: false,
    createdAt: 1_000,
    ...rest,
  };
}

export function sampleApiToken(name: string, owner: string, rest: Partial<ApiToken> = {}): ApiToken {
  return {
    id: idOf(name),
    ownerId: idOf(owner),
    kind: 'profile',
    name,
    scopes: scopeSet(['read', 'sessions']),
    rateLimit: 300,
    teamId: null,
    createdAt: 2_000,
    expiresAt: null,
    lastUsedAt: null,
    rule: null,
    ...rest,
  };
}

export function sampleSignIn(name: string, account: string, rest: Partial<SignIn> = {}): SignIn {
  return {
    id: idOf(name),
    accountId: idOf(account),
    createdAt: 3_000,
    lastSeenAt: 3_000,
    expiresAt: 603_000,
    userAgent: null,
    scopes: null,
    until: null,
    apiTokenId: null,
    teamId: null,
    provenAt: null,
    rule: null,
    openedWith: [],
    ...rest,
  };
}

export function sampleEntry(event: string, rest: Partial<AuditEntry> = {}): AuditEntry {
  return {
    id: idOf(event),
    at: 5_000,
    event,
    outcome: 'success',
    actor: null,
    target: null,
    address: null,
    peer: null,
    requestId: null,
    reason: null,
    ...rest,
  };
}
