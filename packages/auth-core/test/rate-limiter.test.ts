import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { keyCredential } from '../src/credentials/key-pair.ts';
import { capacityOf } from '../src/limits/category.ts';
import { RateLimiter } from '../src/limits/rate-limiter.ts';
import type { Credential } from '../src/principal.ts';
import { accountOf, BEARER, callerOf, NOON, SIGN_IN } from '../src/testing/support.ts';

function setUp() {
  const clock = { at: NOON, now: () => clock.at };
  const limiter = new RateLimiter(clock);
  return { clock, limiter };
}

function key(id: string, rateLimit: number) {
  return callerOf('Admin', undefined, { credential: keyCredential(id, rateLimit) });
}

/**
 * Takes requests until one is refused.
 * @returns the number of allowed requests
 */
function drain(take: () => { retryAfter: number }, most = 200_000): number {
  for (let allowed = 0; allowed < most; allowed++) if (take().retryAfter > 0) return allowed;
  return most;
}

describe('categories and capacities', () => {
  test.each([
    ['read', null, 3000],
    ['change', null, 300],
    ['ai', null, 75],
    ['read', 300, 300],
    ['change', 300, 300],
    ['ai', 300, 75],
    ['ai', 43, 10],
    ['ai', 44, 11],
    ['ai', 1, 10],
    ['read', 1, 1],
    ['ai', 100_000, 25_000],
  ] as const)('%s of a key with limit %s is %s a minute (spec 8.1)', (category, keyLimit, capacity) => {
    expect(capacityOf(category, keyLimit)).toBe(capacity);
  });
});

describe('RateLimiter', () => {
  it('RateLimiter lets exactly the capacity through at once and says how long to wait (spec 8.1)', () => {
    const { limiter } = setUp();
    const caller = key('k', 300);
    expect(limiter.take(caller, 'change')).toEqual({
      category: 'change',
      capacity: 300,
      remaining: 299,
      retryAfter: 0,
    });
    expect(drain(() => limiter.take(caller, 'change'))).toBe(299);
    expect(limiter.take(caller, 'change')).toEqual({
      category: 'change',
      capacity: 300,
      remaining: 0,
      retryAfter: 1,
    });
  });

  it('RateLimiter refills evenly: a sixtieth of a minute gives a sixtieth of the allowance (spec 8.1.3)', () => {
    const { clock, limiter } = setUp();
    const caller = key('k', 300);
    drain(() => limiter.take(caller, 'read'));
    clock.at += 199;
    expect(limiter.take(caller, 'read').retryAfter).toBe(1);
    clock.at += 1;
    expect(limiter.take(caller, 'read').retryAfter).toBe(0);
    clock.at += 1000;
    expect(drain(() => limiter.take(caller, 'read'))).toBe(5);
    clock.at += 60_000;
    expect(drain(() => limiter.take(caller, 'read'))).toBe(300);
    clock.at += 3_600_000;
    expect(drain(() => limiter.take(caller, 'read'))).toBe(300);
  });

  it('waiting Retry-After seconds is enough, for every limit and however often one asks meanwhile (spec 8.1.3)', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 400 }),
        fc.array(fc.integer({ min: 1, max: 5000 }), { maxLength: 40 }),
        (limit, pauses) => {
          const { clock, limiter } = setUp();
          const caller = key('k', limit);
          drain(() => limiter.take(caller, 'change'));
          for (const pause of pauses) {
            clock.at += pause;
            limiter.take(caller, 'change');
          }
          drain(() => limiter.take(caller, 'change'));
          const refused = limiter.take(caller, 'change');
          expect(refused.retryAfter).toBeGreaterThanOrEqual(1);
          expect(refused.retryAfter).toBeLessThanOrEqual(60);
          clock.at += refused.retryAfter * 1000;
          expect(limiter.take(caller, 'change').retryAfter).toBe(0);
        },
      ),
    );
  });

  it('the limiter lets exactly the capacity and the refill pass in any period (spec 8.1.3)', () => {
    const pauses = fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), pauses, (limit, times) => {
        const { clock, limiter } = setUp();
        const caller = key('k', limit);
        let allowed = drain(() => limiter.take(caller, 'change'));
        for (const pause of times) {
          clock.at += pause;
          allowed += drain(() => limiter.take(caller, 'change'));
        }
        expect(allowed).toBe(limit + Math.floor(((clock.at - NOON) * limit) / 60_000));
      }),
      { examples: [[135, [993, 125, 2332, 6, 1107, 2996, 433, 5, 3]]] },
    );
  });

  it('remaining counts down by one with each request and never lies (spec 8.1.3)', () => {
    const { limiter } = setUp();
    const caller = key('k', 7);
    const seen = Array.from({ length: 9 }, () => limiter.take(caller, 'change').remaining);
    expect(seen).toEqual([6, 5, 4, 3, 2, 1, 0, 0, 0]);
  });

  it('sign-ins and bearer tokens of a user share one count (spec 8.1.2)', () => {
    const { limiter } = setUp();
    const account = accountOf('Member');
    const as = (credential: Credential) => callerOf('Member', undefined, { account, credential });
    expect(limiter.take(as(SIGN_IN), 'change').remaining).toBe(299);
    expect(limiter.take(as({ ...SIGN_IN, id: 'another' } as Credential), 'change').remaining).toBe(298);
    expect(limiter.take(as(BEARER), 'change').remaining).toBe(297);
    expect(limiter.take(as({ ...BEARER, id: 'another' } as Credential), 'change').remaining).toBe(296);
  });

  it('each key and each user has a count of its own, and so has each category (spec 8.1.2)', () => {
    const { limiter } = setUp();
    drain(() => limiter.take(key('one', 5), 'change'));
    expect(limiter.take(key('two', 5), 'change').remaining).toBe(4);
    expect(limiter.take(key('one', 5), 'read').remaining).toBe(4);
    expect(limiter.take(key('one', 5), 'ai').remaining).toBe(9);
    const user = callerOf('Admin', undefined, { credential: SIGN_IN });
    const other = callerOf('Member', undefined, { credential: SIGN_IN });
    drain(() => limiter.take(user, 'change'));
    expect(limiter.take(other, 'change').remaining).toBe(299);
    expect(limiter.take(user, 'read').remaining).toBe(2999);
    expect(limiter.take(user, 'ai').remaining).toBe(74);
  });

  it('a changed limit counts at once, in proportion to what was left (spec 8.1)', () => {
    const { limiter } = setUp();
    for (let taken = 0; taken < 150; taken++) limiter.take(key('k', 300), 'change');
    expect(limiter.take(key('k', 1000), 'change')).toMatchObject({ capacity: 1000, remaining: 499 });
    expect(limiter.take(key('k', 10), 'change')).toMatchObject({ capacity: 10, remaining: 3 });
  });

  it('a raised limit is no present to a key that used up the old one (spec 8.1)', () => {
    const { clock, limiter } = setUp();
    drain(() => limiter.take(key('k', 300), 'change'));
    expect(limiter.take(key('k', 100_000), 'change')).toMatchObject({ capacity: 100_000, retryAfter: 1 });
    clock.at += 6;
    expect(drain(() => limiter.take(key('k', 100_000), 'change'))).toBe(10);
  });

  it('a clock that is set back neither locks anyone out nor refills', () => {
    const { clock, limiter } = setUp();
    const caller = key('k', 60);
    drain(() => limiter.take(caller, 'change'));
    clock.at -= 3_600_000;
    expect(limiter.take(caller, 'change').retryAfter).toBe(1);
    clock.at += 1000;
    expect(limiter.take(caller, 'change').retryAfter).toBe(0);
  });

  it('RateLimiter forgets the longest unused caller beyond a hundred thousand, never the latest (spec 8.1)', () => {
    const { limiter } = setUp();
    limiter.take(key('first', 100), 'change');
    for (let number = 0; number < 100_000; number++) limiter.take(key(`other-${number}`, 100), 'change');
    expect(limiter.take(key('first', 100), 'change').remaining).toBe(99);
    expect(limiter.take(key('other-99999', 100), 'change').remaining).toBe(98);
  });
});
