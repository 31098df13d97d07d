import { type Account, type Caller, NO_CREDENTIAL, reauthorize, scopeSet } from '@svc/auth-core';
import {
  credentialOf,
  type Installation,
  installation,
  KINDS,
  type Kind,
  OpenHasher,
  refusalOfAsync,
  type Shown,
  WORD,
} from '@svc/auth-core/testing';
import { ADMIN, ANY_CALLER, type ErrorCode, type Role } from '@svc/contract';
import { beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { setUpAccounts, type TestAccounts } from './accounts.ts';

let here: Installation;
let core: TestAccounts;
let ana: Account;

beforeAll(async () => {
  here = await installation();
});

beforeEach(() => {
  core = setUpAccounts(here.ring);
  ana = core.addUser('ana', 'Admin');
});

const endAll = () => {
  for (const { id } of core.stores.apiTokens.listOf(ana.id)) core.arrange.apiTokens.revoke(id);
  core.arrange.signIns.endAllOf(ana.id);
  core.arrange.accounts.update(ana.id, { signInEpoch: 1 });
};
const become = (change: { role?: Role; status?: 'Inactive' }) => () =>
  core.arrange.accounts.update(ana.id, change);

/** Changes to the caller while a flow waits, each with the refusal that has to follow. */
const ENDINGS: [string, Kind, () => void, ErrorCode][] = [
  ...KINDS.flatMap((kind): [string, Kind, () => void, ErrorCode][] => [
    ['deactivated', kind, become({ status: 'Inactive' }), WORD[kind] as ErrorCode],
    ['deleted', kind, () => core.arrange.accounts.remove(ana.id), WORD[kind] as ErrorCode],
    ['demoted', kind, become({ role: 'Member' }), 'insufficient_role'],
  ]),
  ['revoked', 'key', endAll, 'invalid credentials'],
  [
    'left without access key',
    'key',
    () => core.arrange.accounts.update(ana.id, { accessKey: 'svc_x' }),
    'invalid credentials',
  ],
  ['expired', 'bearer of a key', () => core.clock.advance(3_600_000), 'invalid token'],
  ['signed out everywhere', 'bearer of a sign-in', endAll, 'invalid token'],
  ['signed out', 'sign-in', endAll, 'invalid session'],
];

describe('creating a user, whose password is hashed meanwhile', () => {
  const INPUT = { email: 'new@lab.test', name: 'New', role: 'Member' } as const;

  test.each(ENDINGS)(
    'an Admin %s, with a %s, creates nobody (contract 2, POST /users)',
    async (_, kind, end, word) => {
      const caller = await core.verify(await credentialOf(core, ana, kind));
      core.hasher.meanwhile = end;
      expect((await refusalOfAsync(() => core.users.create(caller, INPUT))).code).toBe(word);
      expect(core.stores.accounts.byEmail(INPUT.email)).toBeUndefined();
      core.audit.flush();
      expect(core.stores.audit.page(null, 100).map(({ event }) => event)).not.toContain('user_created');
    },
  );

  it('a Super admin made Admin meanwhile makes Members and no Admins (contract 3.6)', async () => {
    const boss = core.addUser('boss', 'Super admin');
    const caller = await core.verify(await credentialOf(core, boss, 'sign-in'));
    core.hasher.meanwhile = () => core.arrange.accounts.update(boss.id, { role: 'Admin' });
    const refusal = await refusalOfAsync(() => core.users.create(caller, { ...INPUT, role: 'Admin' }));
    expect(refusal.code).toBe('role_exceeds_yours');
    expect((await core.users.create(caller, INPUT)).account.role).toBe('Member');
  });

  test.each(KINDS)(
    'a caller with a %s that is still valid creates the user (contract 2, POST /users)',
    async (kind) => {
      const caller = await core.verify(await credentialOf(core, ana, kind));
      expect((await core.users.create(caller, INPUT)).account.email).toBe(INPUT.email);
    },
  );
});

describe('what else waits', () => {
  const change = (caller: Caller) =>
    core.passwords.change(caller, { oldPassword: 'ana-password', newPassword: 'another password' });

  test.each([
    ['deactivated', become({ status: 'Inactive' })],
    ['signed out', endAll],
  ])('a user %s meanwhile keeps the old password (contract 2, change-password)', async (_, end) => {
    const caller = await core.verify(await credentialOf(core, ana, 'sign-in'));
    core.hasher.meanwhile = end;
    expect((await refusalOfAsync(() => change(caller))).code).toBe('invalid session');
    expect(core.stores.accounts.passwordHash(ana.id)).toBe(OpenHasher.of('ana-password'));
  });

  const request = (presented: Shown, audience: string) => async (end: () => void) => {
    const caller = await core.verify(presented);
    // The call returns at the first `await` of the flow, so the caller changes while the flow waits.
    const issuing = core.issue(caller, { audience });
    end();
    return issuing;
  };

  test.each(['svc-rest', 'svc-mcp'])(
    'a caller stopped while the %s token is signed gets none (contract 2, POST /auth/token)',
    async (audience) => {
      for (const [end, kind] of [
        [endAll, 'key'],
        [become({ status: 'Inactive' }), 'sign-in'],
      ] as const) {
        const issue = request(await credentialOf(core, ana, kind), audience);
        expect((await refusalOfAsync(() => issue(end))).code).toBe(WORD[kind]);
        core.arrange.accounts.update(ana.id, { status: 'Active' });
      }
    },
  );
});

describe('asking for the caller of now', () => {
  it('a caller asked again never has more than before, and no more than the role of now (contract 3.2)', async () => {
    const { pair } = core.addToken(ana, { scopes: scopeSet(['read', 'admin']) });
    const caller = await core.verify(pair);
    become({ role: 'Super admin' })();
    expect(reauthorize(caller, ADMIN, core)).toMatchObject({
      scopes: scopeSet(['read', 'admin']),
      account: { role: 'Super admin' },
    });
    become({ role: 'Member' })();
    expect(reauthorize(caller, ANY_CALLER, core).scopes).toBe(scopeSet(['read']));
  });

  it('every caller keeps their identity while sign-in is off (spec 5.12)', async () => {
    const caller: Caller = { ...(await core.verify(core.addToken(ana).pair)), credential: NO_CREDENTIAL };
    become({ status: 'Inactive' })();
    expect(reauthorize(caller, ADMIN, core).account.id).toBe(ana.id);
  });
});
