import { autocommit, fakeClock, hashOf, idOf, sampleAccount, sampleApiToken } from '@svc/auth-core/testing';
import { memoryStores } from '@svc/store-sqlite/testing';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AccountStores } from '../src/ports/stores.ts';
import { nextNoticeAt, noticeStep, unusedSince } from '../src/token-notices/notice-times.ts';
import { takeNotices } from '../src/token-notices/token-notices.ts';

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;

describe('a key or token is unused', () => {
  it.each([
    ['never used, made 90 days ago', 0, null, 90 * DAY, 0],
    ['never used, made a moment less ago', 0, null, 90 * DAY - 1, null],
    ['last used 90 days ago', 0, 5, 90 * DAY + 5, 5],
    ['used since', 0, 10 * DAY, 95 * DAY, null],
    ['used before it was made, by a clock that was wrong', 7, 3, 90 * DAY + 7, 7],
  ])('%s (contract 10.6)', (_what, createdAt, lastUsedAt, now, since) => {
    expect(unusedSince({ createdAt, lastUsedAt }, now)).toBe(since);
  });
});

describe('the steps before the end of a token', () => {
  it('steps that have passed when the token is made are left out (contract 10.6)', () => {
    const made = 1_000_000;
    const steps = (life: number) => nextNoticeAt(made + life, made);
    expect(nextNoticeAt(null, made)).toBeNull();
    expect(steps(31 * DAY)).toBe(made + DAY);
    expect(steps(30 * DAY)).toBe(made + 23 * DAY);
    expect(steps(7 * DAY)).toBe(made + 6 * DAY);
    expect(steps(DAY + 1)).toBe(made + 1);
    expect(steps(DAY)).toBeNull();
    expect(steps(HOUR)).toBeNull();
  });

  it('the steps before the end of a token always lead to the next one, and to none after the last (contract 10.6)', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 400 * DAY }),
        fc.integer({ min: 0, max: 500 * DAY }),
        (end, now) => {
          const next = nextNoticeAt(end, now);
          if (next !== null) expect(next).toBeGreaterThan(now);
          const step = noticeStep(end, now);
          if (step !== null) expect(end - now).toBeLessThanOrEqual(step * DAY);
          if (now >= end) expect(step).toBeNull();
        },
      ),
    );
  });
});

describe('notices', () => {
  const clock = fakeClock(1_000 * DAY);
  let stores: AccountStores;
  beforeEach(() => {
    clock.set(1_000 * DAY);
    stores = memoryStores();
    autocommit(stores).accounts.insert(sampleAccount('ann'));
  });

  const add = (name: string, life: number | null, owner = 'ann') => {
    const createdAt = clock.now();
    const expiresAt = life === null ? null : createdAt + life;
    autocommit(stores).apiTokens.insert(sampleApiToken(name, owner, { createdAt, expiresAt }), hashOf(name));
  };
  const taken = (most = 20) =>
    takeNotices(most, { stores, clock }).map(({ token, days }) => `${token.name} ${days}`);

  it('notices come 30, 7 and 1 days before the end, once each, over 400 days (contract 10.6)', () => {
    add('year', 365 * DAY);
    add('never', null);
    const seen: string[] = [];
    for (let hour = 0; hour < 400 * 24; hour++) {
      for (const notice of taken()) seen.push(`${notice} at ${hour / 24}`);
      clock.advance(HOUR);
    }
    expect(seen).toEqual(['year 30 at 335', 'year 7 at 358', 'year 1 at 364']);
  });

  it('notices come once for the latest of several steps that the clock jumped over (contract 10.6)', () => {
    add('year', 365 * DAY);
    clock.advance(360 * DAY);
    expect(taken()).toEqual(['year 7']);
    expect(taken()).toEqual([]);
    clock.advance(4 * DAY);
    expect(taken()).toEqual(['year 1']);
  });

  it('notices are not repeated when the clock goes back and forth (contract 10.6)', () => {
    add('month', 31 * DAY);
    clock.advance(DAY);
    expect(taken()).toEqual(['month 30']);
    clock.advance(-DAY);
    expect(taken()).toEqual([]);
    clock.advance(DAY);
    expect(taken()).toEqual([]);
  });

  it('notices do not come after the end, nor for an account that is not active', () => {
    add('gone', 10 * DAY);
    clock.advance(11 * DAY);
    expect(taken()).toEqual([]);
    add('week', 8 * DAY);
    autocommit(stores).accounts.update(idOf('ann'), { status: 'Inactive' });
    clock.advance(DAY);
    expect(taken()).toEqual([]);
    // The next notice is sent once the account is active again.
    autocommit(stores).accounts.update(idOf('ann'), { status: 'Active' });
    clock.advance(6 * DAY);
    expect(taken()).toEqual(['week 1']);
  });

  it('notices of tokens that end soon are sent in portions', () => {
    for (let number = 0; number < 5; number++) add(`t${number}`, 8 * DAY);
    clock.advance(DAY);
    expect([taken(2).length, taken(2).length, taken(2).length, taken(2).length]).toEqual([2, 2, 1, 0]);
  });
});
