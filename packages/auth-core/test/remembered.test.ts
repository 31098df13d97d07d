import { beforeEach, describe, expect, it } from 'vitest';
import type { PresentedCredentials } from '../src/credentials/presented.ts';
import { RememberedCallers } from '../src/credentials/remembered.ts';
import { Refusal } from '../src/errors.ts';
import type { Account, Caller } from '../src/principal.ts';

const none: PresentedCredentials = {
  accessKey: undefined,
  token: undefined,
  bearer: undefined,
  cookie: undefined,
};
const pair: PresentedCredentials = { ...none, accessKey: 'k', token: 't' };
const usual = { id: 'ana', role: 'Admin', status: 'Active', accessKey: 'k', signInEpoch: 0 } as Account;

describe('remembered callers (specification 5.7.6, 3 Credential cache, contract 7)', () => {
  let now: number;
  let checks: number;
  /** Into the database, where another process may have written. */
  let looks: number;
  let account: Account | undefined;
  let answer: () => Caller | Promise<Caller>;
  let callers: RememberedCallers;
  const caller = (expiresAt: number | null = null) => ({ account: usual, expiresAt }) as Caller;

  beforeEach(() => {
    now = 1_000_000;
    checks = 0;
    account = usual;
    answer = () => caller();
    const authenticate = () => {
      checks++;
      return answer();
    };
    const byId = () => {
      looks++;
      return account;
    };
    const accounts = { byId, recall: () => account };
    callers = new RememberedCallers({ authenticate }, accounts, { now: () => now });
    looks = 0;
  });

  it('for 30 seconds and no longer', () => {
    callers.recall(pair);
    now += 29_999;
    callers.recall(pair);
    expect(checks).toBe(1);
    now += 1;
    callers.recall(pair);
    expect(checks).toBe(2);
  });

  it('never past the expiry of the credential', () => {
    answer = () => caller(now + 5000);
    callers.recall(pair);
    now += 5000;
    callers.recall(pair);
    expect(checks).toBe(2);
  });

  it.each([
    ['deactivated', { ...usual, status: 'Inactive' }],
    ['demoted', { ...usual, role: 'Member' }],
    ['given another access key', { ...usual, accessKey: 'new' }],
    ['signed out everywhere', { ...usual, signInEpoch: 1 }],
    ['deleted', undefined],
  ])('not when the user was %s meanwhile', (_name, changed) => {
    callers.recall(pair);
    account = changed as Account | undefined;
    callers.recall(pair);
    expect(checks).toBe(2);
  });

  it('an unchanged account read anew is the same account', () => {
    callers.recall(pair);
    account = { ...usual };
    callers.recall(pair);
    expect(checks).toBe(1);
  });

  it('failures never', async () => {
    answer = () => {
      throw new Refusal('invalid credentials');
    };
    expect(() => callers.recall(pair)).toThrow(Refusal);
    answer = () => Promise.reject(new Refusal('invalid token'));
    await expect(callers.recall(pair)).rejects.toThrow(Refusal);
    answer = () => caller();
    callers.recall(pair);
    expect(checks).toBe(3);
  });

  it('what was awaited once is there at once', async () => {
    answer = () => Promise.resolve(caller());
    await callers.recall({ ...none, bearer: 'b' });
    expect(callers.recall({ ...none, bearer: 'b' })).not.toBeInstanceOf(Promise);
  });

  it('tells credentials apart, however they are cut', () => {
    const shapes: PresentedCredentials[] = [
      pair,
      { ...none, accessKey: 'kt', token: '' },
      { ...none, accessKey: '', token: 'kt' },
      { ...none, token: 't' },
      { ...none, accessKey: 'k' },
      { ...none, bearer: 't' },
      { ...none, bearer: '["k","t"]' },
    ];
    for (const shape of shapes) callers.recall(shape);
    expect(checks).toBe(shapes.length);
  });

  it('a pair decides even beside a bearer token', () => {
    callers.recall(pair);
    callers.recall({ ...pair, bearer: 'b' });
    expect(checks).toBe(1);
  });

  it('per connection only while it presents the same', () => {
    const [one, other] = [{}, {}];
    for (const connection of [one, one, other, undefined]) callers.recall(pair, connection);
    expect(checks).toBe(1);
    for (const presented of [
      { ...pair, token: 'other' },
      { ...pair, accessKey: 'other' },
      { ...none, bearer: 't' },
      { ...none, cookie: 't' },
    ]) {
      checks = 0;
      callers.recall(presented, one);
      expect(checks).toBe(1);
      callers.recall(pair, one);
      expect(checks).toBe(1);
    }
    account = { ...usual, status: 'Inactive' };
    callers.recall(pair, one);
    expect(checks).toBe(2);
  });

  it('one bearer after another on a pooled connection: each is its own caller', () => {
    const pooled = {};
    for (const bearer of ['one', 'other', 'one', 'other']) {
      const verified = { account: { ...usual, id: bearer }, expiresAt: null } as Caller;
      answer = () => verified;
      account = verified.account;
      expect(callers.recall({ ...none, bearer }, pooled)).toMatchObject({ account: { id: bearer } });
      expect(callers.recall({ ...none, bearer }, pooled)).toMatchObject({ account: { id: bearer } });
    }
  });

  it.each([undefined, {}])('what another process has written is looked for once a second', (connection) => {
    callers.recall(pair, connection);
    for (let command = 0; command < 50; command++) {
      now += 100;
      callers.recall(pair, connection);
    }
    expect(looks).toBe(5);
  });
});
