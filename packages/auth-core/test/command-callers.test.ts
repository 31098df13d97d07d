import { memoryStores } from '@svc/store-sqlite/testing';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { CommandCallers } from '../src/credentials/command-callers.ts';
import { Refusal } from '../src/errors.ts';
import type { Account } from '../src/principal.ts';
import { type Core, presenting, type Shown, setUpCore } from '../src/testing/core.ts';
import { type Installation, installation } from '../src/testing/signing.ts';
import { refusalOf } from '../src/testing/support.ts';

describe('callers of commands (specification 5.7.6, 3 Credential cache, contract 7)', () => {
  let here: Installation;
  let core: Core;
  let ana: Account;
  let pair: Shown;
  let callers: CommandCallers;
  /** Returns how often the token was looked up, which is how often the key pair was verified instead of cached. */
  let checks: () => number;

  beforeAll(async () => {
    here = await installation();
  });
  beforeEach(() => {
    core = setUpCore(here.ring, memoryStores());
    ana = core.addUser('ana', 'Admin');
    ({ pair } = core.addToken(ana));
    const spy = vi.spyOn(core.stores.apiTokens, 'byHash');
    checks = () => spy.mock.calls.length;
    callers = new CommandCallers(core.authenticator);
  });

  const recall = (shown: Shown, socket: object = {}, address = '10.0.0.1') =>
    callers.recall({ headers: presenting(shown).headers, socket }, { address, peer: null, requestId: null });
  const connections = (): [string, object | undefined][] => [
    ['on one connection', {}],
    ['on a new connection each', undefined],
  ];

  it.each(connections())('%s: for 30 seconds and no longer', (_name, socket) => {
    recall(pair, socket);
    core.clock.advance(29_999);
    recall(pair, socket);
    expect(checks()).toBe(1);
    core.clock.advance(1);
    recall(pair, socket);
    expect(checks()).toBe(2);
  });

  it.each(connections())('%s: never past the expiry of the credential', (_name, socket) => {
    const { pair: brief } = core.addToken(ana, { expiresAt: core.clock.now() + 5000 });
    recall(brief, socket);
    core.clock.advance(4999);
    recall(brief, socket);
    expect(checks()).toBe(1);
    core.clock.advance(1);
    expect(refusalOf(() => recall(brief, socket)).reason).toBe('credential expired');
  });

  it.each(connections())('%s: a request of the API does not make it known for longer', (_name, socket) => {
    recall(pair, socket);
    core.clock.advance(29_000);
    core.authenticator.authenticate(pair);
    core.clock.advance(1000);
    const before = checks();
    recall(pair, socket);
    expect(checks()).toBe(before + 1);
  });

  it.each(connections())('%s: what another process changed counts within 250 ms', (_name, socket) => {
    recall(pair, socket);
    recall(pair, socket);
    let seen = core.stores.version();
    const changed = seen + 1;
    vi.spyOn(core.stores, 'versionHere').mockImplementation(() => seen);
    vi.spyOn(core.stores, 'version').mockImplementation(() => (seen = changed));
    core.clock.advance(249);
    recall(pair, socket);
    expect(checks()).toBe(1);
    core.clock.advance(1);
    recall(pair, socket);
    expect(checks()).toBe(2);
  });

  const ENDINGS: [string, (core: Core, account: Account) => void][] = [
    ['deactivated', ({ arrange }, { id }) => arrange.accounts.update(id, { status: 'Inactive' })],
    ['given another access key', ({ arrange }, { id }) => arrange.accounts.update(id, { accessKey: 'new' })],
    ['deleted', ({ arrange }, { id }) => arrange.accounts.remove(id)],
    [
      'rid of the key',
      ({ arrange }, account) => {
        for (const { id } of arrange.apiTokens.listOf(account.id)) arrange.apiTokens.revoke(id);
      },
    ],
  ];
  describe.each(connections())('%s', (_name, socket) => {
    it.each(ENDINGS)(
      'a command is refused once its user is %s (specification 5.7.6, 3 Credential cache, contract 7)',
      (_ending, end) => {
        recall(pair, socket);
        end(core, ana);
        expect(refusalOf(() => recall(pair, socket)).code).toBe('invalid credentials');
      },
    );

    it('a demoted user is demoted with the next command', () => {
      recall(pair, socket);
      core.arrange.accounts.update(ana.id, { role: 'Member' });
      expect(recall(pair, socket)).toMatchObject({ account: { role: 'Member' } });
    });

    it('a bearer of a sign-in not after everything was signed out', async () => {
      const { bearer } = await core.issue(await core.verify(await core.signIn(ana)));
      await recall(bearer, socket);
      expect(recall(bearer, socket)).not.toBeInstanceOf(Promise);
      core.arrange.accounts.update(ana.id, { signInEpoch: 1 });
      expect(refusalOf(() => recall(bearer, socket)).code).toBe('invalid token');
    });
  });

  it('failures never', async () => {
    const wrong = { ...pair, accessKey: 'svc_other' };
    for (let round = 1; round <= 3; round += 1) {
      expect(() => recall(wrong)).toThrow(Refusal);
      expect(checks()).toBe(round);
    }
    const verify = vi.spyOn(core.signer, 'verify');
    const bearer = { ...pair, accessKey: undefined, token: undefined, bearer: 'a.b.c' };
    for (let round = 1; round <= 3; round += 1) {
      expect(() => recall(bearer)).toThrow(Refusal);
      expect(verify).toHaveBeenCalledTimes(round);
    }
  });

  it('the check of commands tells credentials apart, on one connection as on many (specification 5.7.6, 3 Credential cache, contract 7)', async () => {
    const none = { accessKey: undefined, token: undefined, bearer: undefined, cookie: undefined };
    const bob = core.addUser('bob', 'Member');
    const { pair: bobs } = core.addToken(bob);
    const { bearer } = await core.issue(await core.verify(pair));
    for (const socket of [undefined, {}]) {
      for (const wrong of [
        { ...pair, accessKey: bobs.accessKey },
        { ...pair, token: bobs.token },
        { ...none, token: pair.token },
        { ...none, accessKey: pair.accessKey },
        { ...none, bearer: pair.token },
      ]) {
        recall(pair, socket);
        await expect((async () => recall(wrong, socket))()).rejects.toThrow(Refusal);
        recall(pair, socket);
      }
      expect(recall(none, socket)).toBeUndefined();
      for (const [shown, who] of [
        [pair, ana],
        [bobs, bob],
        [bearer, ana],
        [pair, ana],
      ] as const) {
        expect(await recall(shown, socket)).toMatchObject({ account: { id: who.id } });
      }
    }
  });

  it('a pair decides even beside a bearer token', () => {
    recall(pair);
    recall({ ...pair, bearer: 'b' });
    expect(checks()).toBe(1);
  });

  it('a use from another address is noted, also on one connection through a proxy (contract 2, /audit)', () => {
    const socket = {};
    for (const address of ['10.0.0.1', '10.0.0.1', '10.0.0.2', '10.0.0.1']) recall(pair, socket, address);
    core.audit.flush();
    expect(core.stores.audit.page(null, 10).map(({ address }) => address)).toEqual(['10.0.0.2', '10.0.0.1']);
  });

  it('10,000 callers are remembered, and every command of any other caller is checked again', () => {
    for (let other = 0; other < 5000; other += 1) recall(core.addToken(ana).pair);
    const before = checks();
    recall(pair);
    recall(pair);
    recall(pair);
    expect(checks()).toBe(before + 3);
    core.clock.advance(30_000);
    recall(pair);
    recall(pair);
    expect(checks()).toBe(before + 4);
  });
});
