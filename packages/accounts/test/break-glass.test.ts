import { KeyRing } from '@svc/auth-core';
import { NOON, OpenHasher, refusalOf, refusalOfAsync } from '@svc/auth-core/testing';
import { ROLES, type Role } from '@svc/contract';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { TEMPORARY_PASSWORD_MS } from '../src/passwords/set-password.ts';
import { BreakGlass } from '../src/users/break-glass.ts';
import { setUpAccounts, type TestAccounts } from './accounts.ts';

let core: TestAccounts;
let host: BreakGlass;

beforeEach(() => {
  core = setUpAccounts(KeyRing.empty());
  host = new BreakGlass({ ...core, isCommonPassword: (password) => password === 'password1' });
});

const any = () => undefined;
/** Returns the audit rows whose actor is the command line. */
const rows = () => core.stores.audit.page(null, 100).filter(({ actor }) => actor === 'command line');
const passwordHash = (id: string) => core.stores.accounts.passwordHash(id);

describe('svc admin create', () => {
  it('svc admin create makes an account with a temporary password, and a row that names the command line (contract 2, /users)', async () => {
    core.addUser('boss', 'Super admin');
    const made = await host.create({ email: ' Ann@lab.test ', name: ' Ann ', role: 'Admin' });
    expect(made.account).toMatchObject({
      email: 'Ann@lab.test',
      name: 'Ann',
      role: 'Admin',
      status: 'Active',
      temporaryPasswordUntil: NOON + TEMPORARY_PASSWORD_MS,
    });
    expect(made.account.accessKey).toMatch(/^svc_[0-9A-Za-z]{24}$/);
    expect(passwordHash(made.account.id)).toBe(OpenHasher.of(made.password));
    expect(rows()).toEqual([
      expect.objectContaining({
        event: 'user_created',
        actor: 'command line',
        target: made.account.id,
        reason: 'svc admin create on the host: role Admin',
      }),
    ]);
    expect(JSON.stringify(rows())).not.toContain(made.password);
  });

  it('a password that was given is its own, held to the rules (contract 2, /users)', async () => {
    core.addUser('boss', 'Super admin');
    const input = { email: 'ann@lab.test', name: 'Ann', role: 'Member' as const };
    const { account } = await host.create({ ...input, password: 'correct horse' });
    expect(account.temporaryPasswordUntil).toBeNull();
    for (const [password, code] of [
      ['short', 'password must be at least 8 characters'],
      ['password1', 'password is too common'],
    ])
      expect((await refusalOfAsync(() => host.create({ ...input, password }))).code).toBe(code);
  });

  it('svc admin create refuses an address that is taken in any letter case, and what is no address or name', async () => {
    core.addUser('boss', 'Super admin');
    const create = (email: string, name = 'Ann') => host.create({ email, name, role: 'Member' });
    await expect(create('BOSS@lab.test')).rejects.toThrow();
    expect((await refusalOfAsync(() => create('nobody'))).code).toBe('invalid_email');
    expect((await refusalOfAsync(() => create('a@lab.test', 'a\u0007'))).code).toBe('invalid_name');
    expect(core.stores.accounts.list()).toHaveLength(1);
    expect(rows()).toEqual([]);
  });

  it('the first account is a Super admin: the start makes none where an account is (spec 5.9.1)', async () => {
    const input = { email: 'ann@lab.test', name: 'Ann' };
    for (const role of ['Member', 'Admin'] as const)
      expect((await refusalOfAsync(() => host.create({ ...input, role }))).code).toBe('last_super_admin');
    expect(core.stores.accounts.isEmpty()).toBe(true);
    await host.create({ ...input, role: 'Super admin' });
    expect(core.stores.accounts.list()).toHaveLength(1);
  });
});

describe('svc admin reset-password', () => {
  it('svc admin reset-password ends sign-ins, and what was minted from them, and nothing of anybody else (contract 4)', async () => {
    const [ann, bob] = [core.addUser('ann', 'Super admin'), core.addUser('bob', 'Member')];
    const [hers, his] = [await core.signIn(ann), await core.signIn(bob)];
    const { password } = await host.resetPassword('ANN@lab.test', undefined);
    await expect(core.verify(hers)).rejects.toThrow();
    expect((await core.verify(his)).account.id).toBe(bob.id);
    expect(core.user(ann.id)).toMatchObject({ temporaryPasswordUntil: NOON + TEMPORARY_PASSWORD_MS });
    expect(passwordHash(ann.id)).toBe(OpenHasher.of(password));
    expect(rows()[0]).toMatchObject({
      event: 'authn_password_change',
      actor: 'command line',
      target: ann.id,
      reason: 'svc admin reset-password on the host',
    });
  });

  it('a password that was given is temporary too, and held to the rules', async () => {
    const ann = core.addUser('ann', 'Super admin');
    expect((await refusalOfAsync(() => host.resetPassword('ann@lab.test', 'password1'))).code).toBe(
      'password is too common',
    );
    await host.resetPassword('ann@lab.test', 'correct horse');
    expect(core.user(ann.id).temporaryPasswordUntil).toBe(NOON + TEMPORARY_PASSWORD_MS);
    expect((await refusalOfAsync(() => host.resetPassword('eve@lab.test', undefined))).code).toBe(
      'not_found',
    );
  });
});

describe('svc admin promote, demote, activate, deactivate', () => {
  it('a role counts from the next request on; done already changes nothing (contract 3.2)', async () => {
    core.addUser('boss', 'Super admin');
    const ann = core.addUser('ann', 'Member');
    const token = core.addToken(ann).pair;
    expect(host.setRole('promote', 'ann@lab.test', 'Admin', any)).toMatchObject({ changed: true });
    expect((await core.verify(token)).account.role).toBe('Admin');
    expect(host.setRole('promote', 'ann@lab.test', 'Admin', any)).toMatchObject({ changed: false });
    expect(rows().map(({ reason }) => reason)).toEqual([
      'svc admin promote on the host: role Member to Admin',
    ]);
  });

  it('Inactive ends sign-ins; Active again does not bring them back (contract 2, PATCH /users)', async () => {
    core.addUser('boss', 'Super admin');
    const ann = core.addUser('ann', 'Member');
    const [cookie, key] = [await core.signIn(ann), core.addToken(ann).pair];
    host.setStatus('deactivate', 'ann@lab.test', 'Inactive');
    for (const each of [cookie, key]) await expect(core.verify(each)).rejects.toThrow();
    host.setStatus('activate', 'ann@lab.test', 'Active');
    await expect(core.verify(cookie)).rejects.toThrow();
    expect((await core.verify(key)).account.id).toBe(ann.id);
  });

  it('an active Super admin remains after any changes in any order (contract 2, last_super_admin)', () => {
    const step = fc.record({
      who: fc.constantFrom('a', 'b', 'c'),
      role: fc.option(fc.constantFrom<Role>(...ROLES), { nil: undefined }),
      isActive: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const each = setUpAccounts(KeyRing.empty());
        const glass = new BreakGlass(each);
        for (const name of ['a', 'b', 'c']) each.addUser(name, name === 'a' ? 'Super admin' : 'Member');
        for (const { who, role, isActive } of steps) {
          const email = `${who}@lab.test`;
          const before = JSON.stringify(each.stores.accounts.list());
          try {
            if (role === undefined) glass.setStatus('x', email, isActive ? 'Active' : 'Inactive');
            else glass.setRole('x', email, role, any);
          } catch (error) {
            expect(error).toMatchObject({ code: 'last_super_admin' });
            expect(JSON.stringify(each.stores.accounts.list())).toBe(before);
          }
          expect(each.stores.accounts.countActive('Super admin')).toBeGreaterThan(0);
        }
      }),
      { numRuns: Number(process.env.PROPERTY_RUNS ?? 60) },
    );
  });

  it('svc admin asks its question about the account before it changes anything', () => {
    const ann = core.addUser('ann', 'Super admin');
    const no = () => {
      throw new Error('no');
    };
    expect(() => host.setRole('promote', 'ann@lab.test', 'Admin', no)).toThrow('no');
    expect(core.user(ann.id).role).toBe('Super admin');
    expect(refusalOf(() => host.setStatus('activate', 'eve@lab.test', 'Active')).code).toBe('not_found');
  });
});

describe('svc admin tokens and revoke', () => {
  it('svc admin tokens and revoke lists what works, of one or of all, and ends it for good (spec 3, Token)', async () => {
    const [ann, bob] = [core.addUser('ann', 'Super admin'), core.addUser('bob', 'Member')];
    const [hers, his] = [core.addToken(ann), core.addToken(bob)];
    core.addToken(bob, { expiresAt: NOON });
    const ids = (email?: string) =>
      host
        .apiTokens(email)
        .map(({ id, owner }) => `${owner} ${id}`)
        .sort();
    expect(ids()).toEqual([`ann@lab.test ${hers.token.id}`, `bob@lab.test ${his.token.id}`].sort());
    expect(ids('bob@lab.test')).toEqual([`bob@lab.test ${his.token.id}`]);
    expect(host.revoke(his.token.id)).toMatchObject({ name: 'CI' });
    await expect(core.verify(his.pair)).rejects.toThrow();
    expect((await core.verify(hers.pair)).account.id).toBe(ann.id);
    expect(refusalOf(() => host.revoke(his.token.id)).code).toBe('not_found');
    expect(rows()[0]).toMatchObject({
      event: 'authn_token_revoked',
      actor: 'command line',
      target: his.token.id,
    });
  });
});
