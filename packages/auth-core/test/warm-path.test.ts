import { memoryStores } from '@svc/store-sqlite/testing';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Core, credentialOf, setUpCore } from '../src/testing/core.ts';
import { type Installation, installation } from '../src/testing/signing.ts';
import { NOON } from '../src/testing/support.ts';

describe('what a request in a row costs', () => {
  let here: Installation;
  let core: Core;

  beforeAll(async () => {
    here = await installation();
  });
  beforeEach(() => {
    core = setUpCore(here.ring, memoryStores());
  });

  it('(design: warm path) many requests at once with one new bearer token verify it once', async () => {
    const ana = core.addUser('ana', 'Member');
    const { bearer } = await core.issue(await core.verify(core.addToken(ana).pair));
    const verify = vi.spyOn(core.signer, 'verify');
    const callers = await Promise.all(Array.from({ length: 20 }, () => core.verify(bearer)));
    expect(new Set(callers.map(({ account }) => account.id))).toEqual(new Set([ana.id]));
    await core.verify(bearer);
    expect(verify).toHaveBeenCalledTimes(1);
  });

  it('one that is refused is verified again the next time (contract 4)', async () => {
    const verify = vi.spyOn(core.signer, 'verify');
    const bad = { accessKey: undefined, token: undefined, bearer: 'a.b.c', cookie: undefined };
    for (let round = 1; round <= 3; round += 1) {
      const results = await Promise.allSettled([core.verify(bad), core.verify(bad)]);
      expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      expect(verify).toHaveBeenCalledTimes(2 * round);
    }
  });

  it('last use is right to the minute, whatever goes on in between (spec 2, Token)', async () => {
    const { token, pair } = core.addToken(core.addUser('ana', 'Member'));
    const lastUsed = () => core.stores.apiTokens.byId(token.id)?.lastUsedAt;
    await core.verify(pair);
    expect(lastUsed()).toBe(NOON);
    core.clock.advance(59_999);
    await core.verify(pair);
    expect(lastUsed()).toBe(NOON);
    core.clock.advance(1);
    await core.verify(pair);
    expect(lastUsed()).toBe(NOON + 60_000);
  });

  it('a sign-in slides with its requests, right to the minute (spec 5.9.2)', async () => {
    const ana = core.addUser('ana', 'Member');
    const cookie = await core.signIn(ana);
    const lastSeen = () => core.stores.signIns.listOf(ana.id)[0]?.lastSeenAt;
    core.clock.advance(59_999);
    expect((await core.verify(cookie)).extended).toBe(false);
    expect(lastSeen()).toBe(NOON);
    core.clock.advance(1);
    expect((await core.verify(cookie)).extended).toBe(true);
    expect((await core.verify(cookie)).extended).toBe(false);
    expect(lastSeen()).toBe(NOON + 60_000);
  });

  it('a sign-in with a short life slides right to a hundredth of it (spec 5.9.2)', async () => {
    const brief = setUpCore(here.ring, memoryStores(), 5000);
    const ana = brief.addUser('ana', 'Member');
    const cookie = await brief.signIn(ana);
    for (let use = 1; use <= 300; use += 1) {
      brief.clock.advance(50);
      expect(await brief.verify(cookie)).toMatchObject({ expiresAt: NOON + use * 50 + 5000, extended: true });
    }
    brief.clock.advance(5000);
    await expect(brief.verify(cookie)).rejects.toMatchObject({ code: 'invalid session' });
  });

  it.each(['key', 'bearer of a key', 'sign-in'] as const)(
    '(design: warm path) the second request of a %s asks the stores nothing but their version',
    async (kind) => {
      const presented = await credentialOf(core, core.addUser('ana', 'Member'), kind);
      await core.verify(presented);
      const asked = (['accounts', 'apiTokens', 'signIns'] as const).flatMap((name) =>
        Object.keys(core.stores[name]).map((method) => vi.spyOn(core.stores[name], method as never)),
      );
      expect((await core.verify(presented)).account.name).toBe('ana');
      for (const method of asked) expect(method).not.toHaveBeenCalled();
    },
  );
});
