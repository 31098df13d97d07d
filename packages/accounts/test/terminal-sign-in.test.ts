import type { Account, Caller, TokenSigner } from '@svc/auth-core';
import { IssueBearer, isTokenSecret, LOCAL_ORIGIN, scopeList, secretHash } from '@svc/auth-core';
import { type Installation, installation, refusalOf, seededRandom } from '@svc/auth-core/testing';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { OAuthRefusal } from '../src/rules/oauth-refusal.ts';
import { TerminalCodes } from '../src/terminal/terminal-codes.ts';
import { TerminalSignIns } from '../src/terminal/terminal-sign-in.ts';
import { newUserCode, readUserCode } from '../src/terminal/user-code.ts';
import { setUpAccounts, type TestAccounts } from './accounts.ts';

const MINUTE = 60_000;
const FROM_TERMINAL = { address: '10.1.1.1', peer: '10.1.1.1', requestId: 'r-9' };

let here: Installation;
let core: TestAccounts;
let terminals: TerminalSignIns;
let member: Account;
let approver: Caller;

beforeAll(async () => {
  here = await installation();
});

beforeEach(async () => {
  core = setUpAccounts(here.ring);
  terminals = terminalsOf({ attempts: 3, windowMs: 5 * MINUTE });
  member = core.addUser('mia', 'Member');
  approver = await core.verify(await core.signIn(member));
});

function terminalsOf(guesses: { attempts: number; windowMs: number } | null, signer = core.signer) {
  const { stores, clock, random, audit, authenticator, apiTokens } = core;
  const bearerTokens = new IssueBearer({ stores, audit, authenticator, signer, mcpLifetime: 60 });
  return new TerminalSignIns({
    stores,
    clock,
    random,
    audit,
    authenticator,
    apiTokens,
    bearerTokens,
    guesses,
  });
}

function start(
  change: { clientId?: string | undefined; clientName?: string; network?: string; sender?: string } = {},
) {
  const own = {
    clientId: 'svc-cli',
    clientName: 'laptop',
    scope: undefined,
    network: '10.1.1.1',
    sender: '10.1.1.1',
  };
  const request = { ...own, ...change };
  return terminals.start(request, FROM_TERMINAL);
}

function oauthErrorOf(work: () => unknown): OAuthRefusal {
  try {
    work();
  } catch (error) {
    if (error instanceof OAuthRefusal) return error;
    throw error;
  }
  return expect.unreachable('nothing was refused');
}

const redeem = (deviceCode: string) => terminals.redeem({ clientId: 'svc-cli', deviceCode }, FROM_TERMINAL);

async function poll(deviceCode: string): Promise<string> {
  try {
    await redeem(deviceCode);
    return 'credentials';
  } catch (error) {
    if (error instanceof OAuthRefusal) return error.code;
    throw error;
  }
}

const trail = () => core.stores.audit.page(null, 100).reverse();

describe('codes', () => {
  it('a code of a terminal sign-in has eight letters of the alphabet with a hyphen in the middle, and every letter is used (contract 10.7)', () => {
    const random = seededRandom(3);
    const letters = new Set<string>();
    for (let made = 0; made < 200; made += 1) {
      const code = newUserCode(random);
      expect(code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
      for (const letter of code.replace('-', '')) letters.add(letter);
    }
    expect([...letters].sort().join('')).toBe('BCDFGHJKLMNPQRSTVWXZ');
  });

  it.each([
    ['WDJB-MJHT', 'WDJB-MJHT'],
    ['wdjbmjht', 'WDJB-MJHT'],
    [' wdjb mjht ', 'WDJB-MJHT'],
    ['WDJB-MJH', undefined],
    ['WDJB-MJHTT', undefined],
    ['AEIO-UUUU', undefined],
    ['', undefined],
  ])('a terminal sign-in reads the code %j as typed by a person (contract 10.7)', (typed, read) => {
    expect(readUserCode(typed)).toBe(read);
  });

  it('live 600 seconds with an interval of 5, and only their digests are in memory (contract 10.7)', () => {
    const started = start();
    expect(started).toMatchObject({ expiresIn: 600, interval: 5 });
    expect(JSON.stringify(terminals)).not.toContain(started.deviceCode);
    expect(Object.keys(started).sort()).toEqual(['deviceCode', 'expiresIn', 'interval', 'userCode']);
  });

  it.each([
    [undefined, 'invalid_request'],
    ['', 'invalid_request'],
    ['other', 'invalid_client'],
  ])(
    'codes of a terminal sign-in are refused for the client %j with %s (contract 10.7)',
    (clientId, error) => {
      expect(oauthErrorOf(() => start({ clientId }))).toMatchObject({ code: error, status: 400 });
    },
  );

  it.each(['x'.repeat(101), 'a\nb', 'a\u001b[31m', 'a\u202eb', 'a\u2028b'])(
    'codes of a terminal sign-in are refused for the client name %j (contract 10.7)',
    (clientName) => {
      expect(oauthErrorOf(() => start({ clientName }))).toMatchObject({
        code: 'invalid_request',
        status: 400,
      });
    },
  );

  it('wait at most 20 of one address, and Retry-After says when the next may come (contract 10.7)', async () => {
    const first = start();
    core.clock.advance(MINUTE);
    for (let made = 1; made < 20; made += 1) start();
    expect(refusalOf(start)).toMatchObject({ status: 429, fields: { retryAfter: 540 } });
    expect(start({ network: '10.1.1.2' }).userCode).toHaveLength(9);
    terminals.decide(approver, first.userCode, false);
    expect(start().userCode).toHaveLength(9);
    expect(refusalOf(start)).toMatchObject({ status: 429 });
    core.clock.advance(10 * MINUTE);
    expect(start().userCode).toHaveLength(9);
  });

  it('codes of a sender that states the address of another make room for those of the other (contract 10.7)', async () => {
    const own = start({ sender: '10.1.1.1' });
    const [first] = Array.from({ length: 19 }, () => start({ sender: '10.8.1.1' }));
    const late = start({ sender: '10.1.1.1' });
    expect(await poll(first?.deviceCode ?? '')).toBe('invalid_grant');
    for (let made = 0; made < 40; made += 1) {
      try {
        start({ sender: '10.8.1.1' });
      } catch (error) {
        expect(error).toMatchObject({ status: 429 });
      }
    }
    for (const { deviceCode } of [own, late]) expect(await poll(deviceCode)).toBe('authorization_pending');
  });

  it('wait at most 1,000 at once; the oldest code of the busiest sender makes room (contract 10.7)', async () => {
    const quiet = start({ network: '10.9.1.1', sender: '10.9.1.1' });
    const busy = { network: '10.2.0.1', sender: '10.8.1.1' };
    const [first, second] = [start(busy), start(busy)];
    for (let made = 2; made < 999; made += 1) start({ ...busy, network: `10.2.${made % 60}.1` });
    expect(start({ network: '10.3.1.1', sender: '10.3.1.1' }).userCode).toHaveLength(9);
    expect(await poll(first.deviceCode)).toBe('invalid_grant');
    expect(await poll(second.deviceCode)).toBe('authorization_pending');
    expect(await poll(quiet.deviceCode)).toBe('authorization_pending');
    expect([terminals.knows(first.deviceCode), terminals.knows(quiet.deviceCode)]).toEqual([false, true]);
  });

  it('codes of a terminal sign-in are removed some time after their end, so that memory stays bounded (contract 10.7)', () => {
    const codes = new TerminalCodes(core.clock, core.random);
    const add = (network: number) =>
      codes.add({
        clientName: 'laptop',
        address: null,
        scopes: null,
        network: `10.2.${network}.1`,
        sender: `10.2.${network}.1`,
      });
    for (let made = 0; made < 1_000; made += 1) add(made % 100);
    expect(codes.size).toBe(1_000);
    core.clock.advance(10 * MINUTE);
    for (let made = 0; made < 1_000; made += 1) add(made % 100);
    expect(codes.size).toBe(2_000);
    core.clock.advance(10 * MINUTE);
    add(1);
    expect(codes.size).toBe(1_001);
  });

  it('denied codes do not fill the memory (contract 10.7)', () => {
    const codes = new TerminalCodes(core.clock, core.random);
    for (let made = 0; made < 2_100; made += 1) {
      const added = codes.add({
        clientName: 'laptop',
        address: null,
        scopes: null,
        network: '10.2.1.1',
        sender: '10.2.1.1',
      });
      if ('userCode' in added) codes.decide(added.userCode, approver, false);
    }
    expect(codes.size).toBe(2_000);
  });
});

describe('a poll', () => {
  it('a poll of a terminal sign-in gets authorization_pending, and slow_down raises the interval by 5 s (contract 10.7)', async () => {
    const { deviceCode } = start();
    expect(await poll(deviceCode)).toBe('authorization_pending');
    core.clock.advance(5_000);
    expect(await poll(deviceCode)).toBe('authorization_pending');
    core.clock.advance(1_000);
    expect(await poll(deviceCode)).toBe('slow_down');
    core.clock.advance(9_000);
    expect(await poll(deviceCode)).toBe('slow_down');
    core.clock.advance(15_000);
    expect(await poll(deviceCode)).toBe('authorization_pending');
  });

  it('a poll of a terminal sign-in gets expired_token after 600 seconds, also when the code was approved (contract 10.7)', async () => {
    const [waiting, approved] = [start(), start()];
    terminals.decide(approver, approved.userCode, true);
    core.clock.advance(10 * MINUTE);
    for (const { deviceCode } of [waiting, approved]) expect(await poll(deviceCode)).toBe('expired_token');
  });

  it('a poll of a terminal sign-in gets access_denied once the code was denied (contract 10.7)', async () => {
    const { deviceCode, userCode } = start();
    terminals.decide(approver, userCode, false);
    expect(await poll(deviceCode)).toBe('access_denied');
    expect(await poll(deviceCode)).toBe('access_denied');
  });

  it.each(['', 'x', 'A'.repeat(43)])(
    'a poll with the unknown device code %j is refused (contract 10.7)',
    async (code) => {
      expect(await poll(code)).toBe(code === '' ? 'invalid_request' : 'invalid_grant');
    },
  );

  it('a poll of another client is refused with invalid_client (contract 10.7)', async () => {
    const { deviceCode } = start();
    await expect(terminals.redeem({ clientId: 'x', deviceCode }, FROM_TERMINAL)).rejects.toMatchObject({
      code: 'invalid_client',
      status: 400,
    });
  });

  it('a poll of a terminal sign-in gets the credentials once under 50 parallel polls (contract 10.7)', async () => {
    const { deviceCode, userCode } = start();
    terminals.decide(approver, userCode, true);
    const results = await Promise.all(Array.from({ length: 50 }, () => poll(deviceCode)));
    expect(results.filter((result) => result === 'credentials')).toHaveLength(1);
    expect(results.filter((result) => result === 'invalid_grant')).toHaveLength(49);
    expect(await poll(deviceCode)).toBe('invalid_grant');
    expect(core.apiTokens.listOwn(approver)).toHaveLength(1);
  });
});

describe('the credentials', () => {
  it.each([
    ['Member', ['read', 'sessions']],
    ['Admin', ['read', 'sessions', 'devices']],
    ['Super admin', ['admin']],
  ] as const)(
    'the credentials of a %s are those of a token made on the Profile page (contract 10.7)',
    async (role, scopes) => {
      const account = core.addUser('ada', role);
      const { deviceCode, userCode } = start();
      terminals.decide(await core.verify(await core.signIn(account)), userCode, true);
      const made = await redeem(deviceCode);
      expect(made).toMatchObject({ expiresIn: 3600, accessKey: account.accessKey });
      expect(isTokenSecret(made.apiToken)).toBe(true);
      const token = core.stores.apiTokens.byHash(secretHash(made.apiToken));
      const thirtyDays = core.clock.now() + 30 * 24 * 60 * MINUTE;
      expect(token).toMatchObject({
        kind: 'profile',
        name: 'laptop',
        expiresAt: thirtyDays,
        ownerId: account.id,
      });
      expect(made.apiTokenExpiresAt).toBe(thirtyDays);
      expect(scopeList(token?.scopes ?? core.addToken(account).token.scopes)).toEqual(scopes);
      const bearer = await core.verify({
        accessKey: undefined,
        token: undefined,
        cookie: undefined,
        bearer: made.bearer,
      });
      expect(bearer.account.id).toBe(account.id);
    },
  );

  it('the credentials of a terminal sign-in are refused when the account became Inactive before the poll (contract 10.7)', async () => {
    const { deviceCode, userCode } = start();
    terminals.decide(approver, userCode, true);
    core.arrange.accounts.update(member.id, { status: 'Inactive' });
    expect(await poll(deviceCode)).toBe('access_denied');
    core.arrange.accounts.update(member.id, { status: 'Active' });
    expect(await poll(deviceCode)).toBe('invalid_grant');
  });

  it('the credentials of a terminal sign-in are refused when the sign-in that approved them has ended (contract 10.7)', async () => {
    const { deviceCode, userCode } = start();
    terminals.decide(approver, userCode, true);
    core.signIns.end(approver, approver.credential.id);
    expect(await poll(deviceCode)).toBe('access_denied');
    expect(core.stores.apiTokens.listAll()).toEqual([]);
  });

  it('the credentials of a terminal sign-in can be fetched later when there was no signing key, and no unknown token stays (contract 10.7)', async () => {
    let isBroken = true;
    const signer = {
      lifetimeOf: core.signer.lifetimeOf.bind(core.signer),
      mint: (grant: Parameters<TokenSigner['mint']>[0]) =>
        isBroken ? Promise.reject(new Error('no key')) : core.signer.mint(grant),
    };
    terminals = terminalsOf(null, signer as unknown as TokenSigner);
    const { deviceCode, userCode } = start();
    terminals.decide(approver, userCode, true);
    await expect(redeem(deviceCode)).rejects.toThrow('no key');
    expect(core.stores.apiTokens.listAll()).toEqual([]);
    isBroken = false;
    expect(await poll(deviceCode)).toBe('credentials');
  });

  it('the credentials of a terminal sign-in leave audit rows for the decision and the token, without a secret (contract 10.7)', async () => {
    const { deviceCode, userCode } = start();
    terminals.decide({ ...approver, from: { ...LOCAL_ORIGIN, address: '10.7.7.7' } }, userCode, true);
    const { apiToken, bearer } = await redeem(deviceCode);
    const rows = trail();
    expect(rows.filter(({ event }) => event === 'authn_terminal_approved')).toEqual([
      expect.objectContaining({
        actor: member.id,
        address: '10.7.7.7',
        reason: 'terminal laptop at 10.1.1.1',
      }),
    ]);
    const created = rows.filter(({ event }) => event === 'authn_token_created');
    expect(created.map(({ actor, address }) => [actor, address])).toEqual([
      [member.id, '10.1.1.1'],
      [member.id, '10.1.1.1'],
    ]);
    for (const secret of [deviceCode, userCode, apiToken, bearer]) {
      expect(JSON.stringify(rows)).not.toContain(secret);
    }
  });
});

describe('the page', () => {
  it('the page of a terminal sign-in shows who asks, from where and since when (contract 10.7)', () => {
    const { userCode } = start();
    expect(terminals.describe(approver, userCode.toLowerCase().replace('-', ''))).toMatchObject({
      clientName: 'laptop',
      address: '10.1.1.1',
      createdAt: core.clock.now(),
    });
  });

  it('the page of a terminal sign-in refuses an unknown, used or expired code with the same 404 (contract 10.7)', () => {
    const [expired, used] = [start(), start()];
    terminals.decide(approver, used.userCode, true);
    core.clock.advance(10 * MINUTE);
    for (const code of ['BBBB-BBBB', used.userCode]) {
      expect(refusalOf(() => terminals.describe(approver, code))).toMatchObject({ code: 'not_found' });
    }
    expect(refusalOf(() => terminals.decide(approver, expired.userCode, true)).code).toBe('not_found');
  });

  it('limits wrong codes by account, and a right one does not reset the count (contract 10.7)', async () => {
    const { userCode } = start();
    const other = await core.verify(await core.signIn(core.addUser('otto', 'Member')));
    for (let tries = 0; tries < 3; tries += 1) {
      terminals.describe(approver, userCode);
      refusalOf(() => terminals.describe(approver, 'BBBB-BBBB'));
    }
    expect(refusalOf(() => terminals.describe(approver, userCode))).toMatchObject({
      code: 'too many login attempts',
      fields: { retryAfter: 300 },
    });
    expect(refusalOf(() => terminals.decide(approver, userCode, true)).code).toBe('too many login attempts');
    expect(terminals.describe(other, userCode).clientName).toBe('laptop');
    core.clock.advance(5 * MINUTE);
    expect(terminals.describe(approver, userCode).clientName).toBe('laptop');
  });

  it('the page of a terminal sign-in lets one of two decisions win (contract 10.7)', () => {
    const { userCode } = start();
    terminals.decide(approver, userCode, false);
    expect(refusalOf(() => terminals.decide(approver, userCode, true)).code).toBe('not_found');
  });
});
