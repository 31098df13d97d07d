import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Core, setUpCore } from './core.ts';
import { type Installation, installation } from './signing.ts';
import { NOON } from './support.ts';

describe('what a request in a row costs', () => {
  let here: Installation;
  let core: Core;

  beforeAll(async () => {
    here = await installation();
  });
  beforeEach(() => {
    core = setUpCore(here.ring);
  });

  it('(design: warm path) many requests at once with one new bearer token verify it once', async () => {
    const ana = core.addUser('ana', 'Member');
    const { bearer } = await core.issue(await core.prove(core.addToken(ana).pair));
    const verify = vi.spyOn(core.signer, 'verify');
    const callers = await Promise.all(Array.from({ length: 20 }, () => core.prove(bearer)));
    expect(new Set(callers.map(({ account }) => account.id))).toEqual(new Set([ana.id]));
    await core.prove(bearer);
    expect(verify).toHaveBeenCalledTimes(1);
  });

  it('(contract 4) one that is refused is verified again the next time', async () => {
    const verify = vi.spyOn(core.signer, 'verify');
    const bad = { accessKey: undefined, token: undefined, bearer: 'a.b.c', cookie: undefined };
    for (let round = 1; round <= 3; round += 1) {
      const results = await Promise.allSettled([core.prove(bad), core.prove(bad)]);
      expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      expect(verify).toHaveBeenCalledTimes(round);
    }
  });

  it('(spec 2, Token) last use is right to the minute, whatever goes on in between', async () => {
    const { token, pair } = core.addToken(core.addUser('ana', 'Member'));
    const lastUsed = () => core.stores.apiTokens.byId(token.id)?.lastUsedAt;
    await core.prove(pair);
    expect(lastUsed()).toBe(NOON);
    core.clock.advance(59_999);
    await core.prove(pair);
    expect(lastUsed()).toBe(NOON);
    core.clock.advance(1);
    await core.prove(pair);
    expect(lastUsed()).toBe(NOON + 60_000);
  });

  it('(spec 5.9.2) a sign-in slides with every request, right to the second', async () => {
    const ana = core.addUser('ana', 'Member');
    const cookie = await core.signIn(ana);
    const lastSeen = () => core.stores.signIns.listOf(ana.id)[0]?.lastSeenAt;
    core.clock.advance(999);
    await core.prove(cookie);
    expect(lastSeen()).toBe(NOON);
    core.clock.advance(1);
    await core.prove(cookie);
    expect(lastSeen()).toBe(NOON + 1000);
  });
});
