import type { Account } from '@svc/auth-core';
import { scopeList, scopeSet, secretHash } from '@svc/auth-core';
import {
  DAY,
  type Installation,
  installation,
  NOON,
  NOTHING,
  OpenHasher,
  refusalOf,
  refusalOfAsync,
} from '@svc/auth-core/testing';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { setUpAccounts, type TestAccounts } from './accounts.ts';

const FROM = { address: '10.0.0.1', peer: '10.0.0.1', requestId: 'r-1' };
const PASSWORD = 'ana-password';
let here: Installation;
let core: TestAccounts;
let ana: Account;

beforeAll(async () => {
  here = await installation();
});

beforeEach(() => {
  core = setUpAccounts(here.ring);
  ana = core.addUser('ana', 'Member');
});

const open = (email = ana.email, password = PASSWORD) => core.signInWith(email, password, FROM, 'Firefox');
const refused = (email?: string, password?: string) => refusalOfAsync(() => open(email, password));

/** Returns all audit rows, oldest first, including rows that were waiting in memory. */
function trail() {
  core.audit.flush();
  return core.stores.audit.page(null, 100).reverse();
}

describe('signing in', () => {
  it('signing in opens a sign-in of its own each time; only the hash of the cookie is kept (spec 5.9.2)', async () => {
    const first = await open();
    const second = await open(ana.email.toUpperCase());
    expect(first.cookie).not.toBe(second.cookie);
    expect(first.lifetimeMs).toBe(DAY);
    const kept = core.stores.signIns.listOf(ana.id);
    expect(kept).toHaveLength(2);
    expect(JSON.stringify(kept)).not.toContain(first.cookie);
    expect(core.stores.signIns.byHash(secretHash(first.cookie))).toMatchObject({
      accountId: ana.id,
      createdAt: NOON,
      lastSeenAt: NOON,
      expiresAt: NOON + DAY,
      userAgent: 'Firefox',
      scopes: null,
      until: null,
      apiTokenId: null,
      teamId: null,
      provenAt: NOON,
      openedWith: [],
    });
    expect(core.user(ana.id).lastSignInAt).toBe(NOON);
  });

  it('a user agent is kept to 256 characters', async () => {
    await core.signInWith(ana.email, PASSWORD, FROM, 'x'.repeat(10_000));
    expect(core.stores.signIns.listOf(ana.id)[0]?.userAgent).toHaveLength(256);
  });

  it('wrong e-mail, wrong password, Inactive and lapsed end alike, after one comparison each (spec 5.9.4)', async () => {
    const inactive = core.addUser('ina', 'Member', { status: 'Inactive' });
    const lapsed = core.addUser('lea', 'Member', { temporaryPasswordUntil: NOON });
    const passwordless = core.addUser('pia', 'Member', { passwordHash: null });
    const attempts: [string, string][] = [
      ['nobody@lab.test', PASSWORD],
      [ana.email, 'wrong password'],
      [inactive.email, 'ina-password'],
      [inactive.email, 'wrong password'],
      [lapsed.email, 'lea-password'],
      [passwordless.email, 'pia-password'],
      [ana.email, `${PASSWORD}\0`],
      [ana.email, 'x'.repeat(100)],
      [ana.email, ''],
    ];
    for (const [email, password] of attempts) {
      core.hasher.compared.length = 0;
      const refusal = await refused(email, password);
      expect(refusal).toMatchObject({ code: 'invalid credentials', status: 401, fields: {} });
      expect(core.hasher.compared).toHaveLength(1);
    }
    expect(core.stores.signIns.listOf(inactive.id)).toEqual([]);
  });

  it('an unknown e-mail is compared with a hash bcrypt takes as long over as over a real one (contract 4)', async () => {
    await refused('nobody@lab.test');
    const decoy = core.hasher.compared[0]?.hash as string;
    expect(decoy).toMatch(/^\$2b\$12\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{31}$/);
    expect(decoy).toHaveLength(60);
  });

  it('the comparison with the decoy opens nothing, even if it were to succeed (contract 4)', async () => {
    const passwordless = core.addUser('pia', 'Super admin', { passwordHash: null });
    core.hasher.matches = async () => true;
    expect((await refused(passwordless.email)).code).toBe('invalid credentials');
    expect((await refused('nobody@lab.test')).code).toBe('invalid credentials');
    expect((await open()).account.id).toBe(ana.id);
  });

  it('a password bcrypt would cut is compared as another one (contract 4)', async () => {
    const long = core.addUser('lou', 'Member', { passwordHash: OpenHasher.of('x'.repeat(72)) });
    expect((await refused(long.email, 'x'.repeat(73))).code).toBe('invalid credentials');
    expect(core.hasher.compared.at(-1)?.password).toBe('');
    core.hasher.matches = async () => true;
    expect((await refused(long.email, 'x'.repeat(73))).code).toBe('invalid credentials');
    expect((await open(long.email, 'x'.repeat(72))).account.id).toBe(long.id);
  });

  it('an account that changes while the password is compared is not signed in (spec 5.1.2)', async () => {
    const changes: (() => void)[] = [
      () => core.arrange.accounts.update(ana.id, { status: 'Inactive' }),
      () =>
        core.arrange.accounts.update(ana.id, { status: 'Active', passwordHash: OpenHasher.of('another') }),
      () => core.arrange.accounts.remove(ana.id),
    ];
    for (const change of changes) {
      core.hasher.meanwhile = change;
      expect((await refused()).code).toBe('invalid credentials');
      core.hasher.meanwhile = () => {};
      expect(core.stores.signIns.listOf(ana.id)).toEqual([]);
    }
  });

  it('a temporary password nobody used signs in until its moment, not at it', async () => {
    const change = { temporaryPasswordUntil: NOON + 1000 };
    const [lea, leo] = [core.addUser('lea', 'Member', change), core.addUser('leo', 'Member', change)];
    core.clock.advance(999);
    expect((await open(lea.email, 'lea-password')).account.id).toBe(lea.id);
    core.clock.advance(1);
    expect((await refused(leo.email, 'leo-password')).reason).toBe('temporary password lapsed');
  });

  it('hashes anew when the cost changed, unless the account changes meanwhile (contract 5, SVC_BCRYPT_COST)', async () => {
    const old = OpenHasher.of(PASSWORD, 10);
    core.arrange.accounts.update(ana.id, { passwordHash: old });
    core.hasher.meanwhile = () => {
      if (core.hasher.compared.length > 0) core.arrange.accounts.update(ana.id, { status: 'Inactive' });
    };
    expect((await refused()).reason).toBe('account inactive');
    expect(core.stores.accounts.passwordHash(ana.id)).toBe(old);
    core.hasher.meanwhile = () => {};
    core.arrange.accounts.update(ana.id, { status: 'Active' });
    await open();
    expect(core.stores.accounts.passwordHash(ana.id)).toBe(OpenHasher.of(PASSWORD));
  });

  it('the audit row of a sign-in says who, from where and why, and never a password or a cookie (contract 2, /audit)', async () => {
    const { cookie } = await open();
    await refused(ana.email, 'hunter2hunter2');
    core.clock.advance(60_000);
    await refused('nobody@lab.test', 'hunter2hunter2');
    const rows = trail();
    expect(rows.map(({ event, outcome, actor, reason }) => [event, outcome, actor, reason])).toEqual([
      ['authn_login_success', 'success', ana.id, 'password'],
      ['authn_login_fail', 'failure', ana.id, 'wrong password'],
      ['authn_login_fail', 'failure', null, 'unknown e-mail'],
    ]);
    for (const row of rows) {
      expect(row).toMatchObject({ address: FROM.address, requestId: FROM.requestId });
      for (const secret of ['hunter2', PASSWORD, cookie, 'hash of']) {
        expect(JSON.stringify(row)).not.toContain(secret);
      }
    }
  });
});

describe('a sign-in', () => {
  it('a sign-in lasts its life after the last request; every request extends it (spec 5.9.2)', async () => {
    const presented = await core.signIn(ana);
    for (let request = 1; request <= 5; request++) {
      core.clock.advance(DAY - 1);
      expect((await core.verify(presented)).expiresAt).toBe(core.clock.now() + DAY);
    }
    core.clock.advance(DAY);
    expect(refusalOf(() => core.authenticator.authenticate(presented)).code).toBe('invalid session');
  });

  it('a refused request extends nothing (spec 5.9.2)', async () => {
    const presented = await core.signIn(ana);
    core.arrange.accounts.update(ana.id, { status: 'Inactive' });
    core.clock.advance(DAY / 2);
    refusalOf(() => core.authenticator.authenticate(presented));
    expect(core.stores.signIns.listOf(ana.id)[0]).toMatchObject({ lastSeenAt: NOON, expiresAt: NOON + DAY });
  });

  it('a sign-in carries all the role allows, now, and bounds nothing minted from it (contract 3.1, spec 5.3.1)', async () => {
    const presented = await core.signIn(ana);
    const before = await core.verify(presented);
    expect(scopeList(before.scopes)).toEqual(['read', 'sessions', 'devices']);
    expect(before).toMatchObject({ grantsUntil: null, credential: { kind: 'sign-in', isPerson: true } });
    core.arrange.accounts.update(ana.id, { role: 'Admin' });
    expect(scopeList((await core.verify(presented)).scopes)).toContain('admin');
  });

  it('logout ends it on the server; an unknown cookie ends nothing (spec 5.9.2)', async () => {
    const presented = await core.signIn(ana);
    const other = await core.signIn(ana);
    core.signIns.endByCookie('f'.repeat(43), FROM);
    expect(core.stores.signIns.listOf(ana.id)).toHaveLength(2);
    core.signIns.endByCookie(presented.cookie as string, FROM);
    expect(refusalOf(() => core.authenticator.authenticate(presented)).code).toBe('invalid session');
    expect((await core.verify(other)).account.id).toBe(ana.id);
    expect(trail().map(({ event }) => event)).toContain('authn_logout');
  });

  it('a cookie of another form costs no look-up', () => {
    Object.assign(core.stores.signIns, {
      byHash: () => {
        throw new Error('looked up');
      },
    });
    for (const cookie of [
      '',
      'x',
      'f'.repeat(42),
      'f'.repeat(44),
      `${'f'.repeat(42)}=`,
      `${'f'.repeat(43)}\n`,
    ]) {
      expect(refusalOf(() => core.authenticator.authenticate({ ...NOTHING, cookie })).code).toBe(
        'invalid session',
      );
    }
  });
});

describe('a sign-in opened with a key or bearer token', () => {
  it('a sign-in opened with a key or bearer token is limited to that credential and slides no further than its expiry (contract 2, dashboard-session)', async () => {
    const admin = core.addUser('sam', 'Super admin');
    const caller = await core.verify(core.addToken(admin).pair);
    const until = NOON + DAY + 5000;
    const presented = core.boundedSignIn(caller, { scopes: scopeSet(['read']), until });
    core.clock.advance(DAY - 1);
    const proven = await core.verify(presented);
    expect(scopeList(proven.scopes)).toEqual(['read']);
    expect(proven).toMatchObject({
      expiresAt: until,
      grantsUntil: until,
      credential: { kind: 'sign-in', isPerson: false },
    });
    core.clock.set(until - 1);
    await core.verify(presented);
    core.clock.set(until);
    expect(refusalOf(() => core.authenticator.authenticate(presented)).code).toBe('invalid session');
  });

  it('a sign-in opened with a key or bearer token ends when its token is revoked or its user is, for tickets too (contract 2, dashboard-session)', async () => {
    const admin = core.addUser('sam', 'Super admin');
    const { pair, token } = core.addToken(admin);
    const presented = core.boundedSignIn(await core.verify(pair), { apiTokenId: token.id });
    const caller = await core.verify(presented);
    const record = core.stores.signIns.byId(caller.credential.ownSignIn ?? '');
    const kept = { byHash: () => record, byId: () => record };
    // The revoked token has to end the sign-in even if the store still returns the sign-in's record.
    core.arrange.apiTokens.revoke(token.id);
    Object.assign(core.stores.signIns, kept);
    expect(core.authenticator.stillGood(caller)).toBe(false);
    expect(refusalOf(() => core.authenticator.authenticate(presented)).code).toBe('invalid session');
  });

  it('a sign-in opened with a key or bearer token keeps the team of its key, also through a bearer token and when the key is gone (contract 2 teamId)', async () => {
    const admin = core.addUser('sam', 'Super admin');
    core.arrange.teams.insert({ id: 'lab', name: 'Lab' });
    const { pair, token } = core.addToken(admin, { teamId: 'lab' });
    const { bearer } = await core.issue(await core.verify(pair));
    const opened = core.dashboardSessions.open(await core.verify(bearer), null);
    core.arrange.apiTokens.revoke(token.id);
    const caller = await core.verify({ ...NOTHING, cookie: opened.cookie });
    expect(caller.teamId).toBe('lab');
    const next = await core.issue(caller, { audience: 'svc-mcp' });
    expect((await core.verify(next.bearer)).teamId).toBe('lab');
    const driving = await core.authenticator.authenticateSessionToken(next.sessionToken as string);
    expect(driving.teamId).toBe('lab');
  });

  it('opened before its team was kept, it has the team of its API token (contract 2 teamId)', async () => {
    const admin = core.addUser('sam', 'Super admin');
    core.arrange.teams.insert({ id: 'lab', name: 'Lab' });
    const { pair, token } = core.addToken(admin, { teamId: 'lab' });
    const bounds = { apiTokenId: token.id, teamId: null };
    const presented = core.boundedSignIn(await core.verify(pair), bounds);
    expect((await core.verify(presented)).teamId).toBe('lab');
  });

  it('a sign-in opened with a key or bearer token is limited to the present role of its account, whatever it was opened with (contract 3.2)', async () => {
    const admin = core.addUser('sam', 'Super admin');
    const caller = await core.verify(core.addToken(admin).pair);
    const presented = core.boundedSignIn(caller, { scopes: scopeSet(['admin', 'read']) });
    core.arrange.accounts.update(admin.id, { role: 'Member' });
    expect(scopeList((await core.verify(presented)).scopes)).toEqual(['read']);
  });

  it('a sign-in opened with a key or bearer token says what it was opened with (contract 2, /audit)', async () => {
    const admin = core.addUser('sam', 'Super admin');
    core.boundedSignIn(await core.verify(core.addToken(admin).pair), {});
    expect(trail().find(({ event }) => event === 'authn_login_success')).toMatchObject({
      address: null,
      requestId: null,
      actor: admin.id,
      reason: 'opened with a key',
    });
  });
});
