import { newTokenSecret, type RequestOrigin, scopeSet, Unavailable } from '@svc/auth-core';
import { fakeClock, seededRandom } from '@svc/auth-core/testing';
import { describe, expect, it } from 'vitest';
import { ReceivedAccounts } from '../src/first/received-accounts.ts';
import { RemoteKeyPairScheme } from '../src/key-pairs/remote-key-pair.ts';

const ANA = {
  id: 'ana',
  role: 'Admin',
  status: 'Active',
  accessKey: 'svc_ana',
  signInEpoch: 0,
  sparedSignIn: null,
} as const;

describe('accounts as they are told', () => {
  it('accounts that a server has been told of are good for ten minutes of silence, and an answer without news counts (contract 8.3)', () => {
    const clock = fakeClock();
    const accounts = new ReceivedAccounts(clock);
    expect(() => accounts.version()).toThrow(Unavailable);
    accounts.receive({ cursor: 'a', accounts: [ANA], revoked: [], longestLife: 7200 });
    const version = accounts.version();
    clock.advance(599_000);
    expect(accounts.byId('ana')?.role).toBe('Admin');
    accounts.receive({ cursor: 'a', accounts: null, revoked: [] });
    clock.advance(599_000);
    expect([accounts.version(), accounts.longestLife]).toEqual([version, 7200]);
    clock.advance(1_000);
    expect(() => accounts.byId('ana')).toThrow(Unavailable);
    accounts.receive({ cursor: 'b', accounts: [], revoked: [] });
    expect([accounts.byId('ana'), accounts.version() === version]).toEqual([undefined, false]);
  });
});

it('a token that the first entrance revoked is found until the next list (contract 10.4)', () => {
  const clock = fakeClock();
  const accounts = new ReceivedAccounts(clock);
  expect(() => accounts.find('jti')).toThrow(Unavailable);
  const revoked = { id: 'jti', cascades: true };
  accounts.receive({ cursor: 'a', accounts: [ANA], revoked: [revoked] });
  accounts.receive({ cursor: 'a', accounts: null, revoked: [] });
  expect([accounts.find('jti'), accounts.find('other')]).toEqual([revoked, undefined]);
  accounts.receive({ cursor: 'b', accounts: [ANA], revoked: [] });
  expect(accounts.find('jti')).toBeUndefined();
});

describe('a key pair where there is no database', () => {
  const token = newTokenSecret(seededRandom(1));
  const presented = (accessKey = 'svc_ana') => ({
    headers: { 'x-svc-access-key': accessKey, 'x-svc-token': token },
    cookie: undefined,
  });

  const CLIENT = '198.51.100.1';
  const from = (peer: string): RequestOrigin => ({ address: null, peer, requestId: null });

  function scheme(ask: () => Promise<'good' | 'refused'>) {
    const clock = fakeClock();
    const state = { asked: 0, ended: 0, version: 1 };
    const pairs = new RemoteKeyPairScheme({
      lookUp: async () => {
        state.asked++;
        return (await ask()) === 'good'
          ? { accountId: 'ana', scopes: scopeSet(['read']), expiresAt: null }
          : null;
      },
      learn: async () => undefined,
      version: () => state.version,
      ended: () => {
        state.ended++;
      },
      clock,
    });
    const verify = async (accessKey?: string) =>
      await pairs.verify(presented(accessKey), token, 'd'.repeat(32), clock.now(), from(CLIENT));
    return { clock, state, pairs, verify };
  }

  it('an entrance without a database asks about a key pair once in 30 s, and again as soon as something has changed (specification 5.7.6)', async () => {
    const { clock, state, verify } = scheme(async () => 'good');
    expect(await verify()).toMatchObject({ accountId: 'ana' });
    clock.advance(29_999);
    await verify();
    expect(state.asked).toBe(1);
    clock.advance(1);
    await verify();
    expect(state.asked).toBe(2);
    state.version++;
    await verify();
    await verify('svc_other');
    expect(state.asked).toBe(4);
  });

  it('an entrance without a database accepts a key pair for 30 s without an answer, and then answers that it cannot check (specification 5.7.5)', async () => {
    let isGone = false;
    const { clock, state, verify } = scheme(async () => {
      if (isGone) throw new Error('gone');
      return 'good';
    });
    await verify();
    isGone = true;
    state.version++;
    clock.advance(29_000);
    expect(await verify()).toMatchObject({ accountId: 'ana' });
    clock.advance(1_000);
    await expect(verify()).rejects.toThrow(Unavailable);
  });

  it('an entrance without a database refuses a key pair once the answer is no, and checks the connections opened with it (specification 3 User)', async () => {
    let answer: 'good' | 'refused' = 'good';
    const { state, verify, pairs, clock } = scheme(async () => answer);
    const { credential } = (await verify()) as { credential: { id: string } };
    answer = 'refused';
    const account = { accessKey: 'svc_ana' };
    const caller = { account, credential };
    state.version++;
    expect(pairs.stillGood(caller as never, account as never, clock.now())).toBe(true);
    await new Promise(setImmediate);
    expect(state.ended).toBe(1);
    expect(pairs.stillGood(caller as never, account as never, clock.now())).toBe(false);
    expect(await verify()).toMatchObject({ reason: 'refused by the first entrance' });
  });

  it('an entrance without a database sends no request about a key pair that cannot be one (contract 4)', async () => {
    const { state, pairs, clock } = scheme(async () => 'good');
    for (const odd of ['', 'svct_x', `${token}x`, `${token.slice(0, -1)}!`])
      expect(await pairs.verify(presented(), odd, 'd'.repeat(32), clock.now(), from(CLIENT))).toHaveProperty(
        'reason',
      );
    expect(state.asked).toBe(0);
  });

  /** Creates look-ups of made-up key pairs that stay unanswered until the test answers them. */
  function flooded() {
    const answers: { good(): void; fail(): void }[] = [];
    const { state, pairs, clock } = scheme(
      () =>
        new Promise((done, failed) => {
          answers.push({ good: () => done('good'), fail: () => failed(new Error('gone')) });
        }),
    );
    const random = seededRandom(2);
    const ask = (peer: string) => {
      const made = newTokenSecret(random);
      const presented = {
        headers: { 'x-svc-access-key': 'svc_ana', 'x-svc-token': made },
        cookie: undefined,
      };
      const verified = pairs.verify(presented, made, made.slice(-32), clock.now(), from(peer));
      return Promise.resolve(verified).then(
        (answer) => ('accountId' in answer ? 'good' : 'refused'),
        (error) => (error instanceof Unavailable ? 'unavailable' : 'failed'),
      );
    };
    const settled = () => new Promise(setImmediate);
    return { answers, state, ask, settled };
  }

  it('an entrance without a database asks about a key pair although another client sends any number of others (contract 7)', async () => {
    const { answers, state, ask, settled } = flooded();
    const hostile = Array.from({ length: 1_000 }, () => ask('203.0.113.9'));
    await settled();
    expect(state.asked).toBe(16);
    const honest = ask(CLIENT);
    await settled();
    expect(state.asked).toBe(17);
    answers[16]?.good();
    expect(await honest).toBe('good');
    // Look-ups above the limit of waiting look-ups are refused immediately; the waiting look-ups run in turn.
    expect(await Promise.all(hostile.slice(16 + 256))).toEqual(Array(1_000 - 16 - 256).fill('unavailable'));
    for (let next = 0; next < answers.length; next++) {
      answers[next]?.good();
      await settled();
    }
    expect(state.asked).toBe(1 + 16 + 256);
    expect(await Promise.all(hostile.slice(0, 16 + 256))).toEqual(Array(16 + 256).fill('good'));
  });

  it('a key pair that waits for its turn fails together with one that gets no answer, and the next one is checked (contract 7)', async () => {
    const { answers, state, ask, settled } = flooded();
    const asked = Array.from({ length: 20 }, () => ask(CLIENT));
    await settled();
    answers[3]?.fail();
    const failed = [asked[3], ...asked.slice(16)];
    expect(await Promise.all(failed)).toEqual(failed.map(() => 'unavailable'));
    const next = ask(CLIENT);
    await settled();
    expect(state.asked).toBe(17);
    for (const answer of answers) answer.good();
    expect(await next).toBe('good');
  });
});
