import { fakeClock, NOON, refusalOf } from '@svc/auth-core/testing';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { FailureCounter } from '../src/attempts/failure-counter.ts';
import { SignInAttempts } from '../src/attempts/sign-in-attempts.ts';

const WINDOW = 300_000;
const VICTIM = 'victim@lab.test';
const LAB = '10.0.0.1';

describe('sign-in attempts by account (contract 4)', () => {
  let clock: ReturnType<typeof fakeClock>;
  let attempts: SignInAttempts;
  let stranger: number;

  beforeEach(() => {
    clock = fakeClock(NOON);
    stranger = 0;
    attempts = limited(100);
  });

  const limited = (perAccount: number) =>
    new SignInAttempts(clock, { byAddress: { attempts: 5, windowMs: WINDOW }, perAccount });
  const newAddress = () => `203.0.113.${stranger++}`;
  const fail = (email = VICTIM, address = newAddress()) => void attempts.admit(email, address);
  const succeed = (email: string, address: string) => attempts.admit(email, address).succeeded();
  /** Returns the number of guesses before the first response 429. */
  const guesses = (guess: () => void, most = 1000): number => {
    for (let count = 0; count < most; count += 1) {
      try {
        guess();
      } catch {
        return count;
      }
    }
    return most;
  };

  it('100 failures close it to addresses that never signed in to it, for the rest of the window', () => {
    clock.advance(1000);
    expect(guesses(() => fail())).toBe(100);
    clock.advance(1000);
    expect(refusalOf(() => fail())).toMatchObject({
      code: 'too many login attempts',
      fields: { retryAfter: 299 },
    });
    clock.advance(WINDOW - 1000);
    fail();
  });

  it('failed sign-ins count for an account whether it exists or not, in any spelling (contract 4)', () => {
    expect(guesses(() => fail('nobody@lab.test'))).toBe(100);
    expect(guesses(() => fail('NOBODY@LAB.test'))).toBe(0);
  });

  it('an address that signed in to it is not kept away, and has a counter of its own with the same bound', () => {
    succeed(VICTIM, LAB);
    expect(guesses(() => fail())).toBe(100);
    expect(guesses(() => fail(VICTIM, LAB))).toBe(100);
    expect(guesses(() => fail(VICTIM, LAB))).toBe(0);
  });

  it('a successful sign-in resets the failures of its own account (contract 4)', () => {
    succeed(VICTIM, LAB);
    for (let round = 0; round < 3; round += 1) {
      for (let failure = 0; failure < 99; failure += 1) fail(VICTIM, LAB);
      succeed(VICTIM, LAB);
    }
    expect(guesses(() => fail(VICTIM, LAB))).toBe(100);
  });

  it('a successful sign-in does not reset the failures of another account: four guesses, an own sign-in, again (contract 4)', () => {
    succeed(VICTIM, LAB);
    succeed('mallory@lab.test', LAB);
    let since = 0;
    const guess = () => {
      if (since++ % 4 === 0) succeed('mallory@lab.test', LAB);
      fail(VICTIM, LAB);
    };
    expect(guesses(guess)).toBe(100);
  });

  it('a success from a new address takes back its own attempt and not what strangers failed', () => {
    for (let failure = 0; failure < 99; failure += 1) fail();
    succeed(VICTIM, newAddress());
    expect(guesses(() => fail())).toBe(1);
  });

  it('a locked window outlives 20,000 other e-mails, tried many times over', () => {
    expect(guesses(() => fail())).toBe(100);
    for (let other = 0; other < 60_000; other += 1) fail(`junk-${other}@lab.test`, 'junk');
    expect(guesses(() => fail())).toBe(0);
  });

  it('20,000 other e-mails do not give new guesses: who failed least is forgotten first', () => {
    for (let failure = 0; failure < 99; failure += 1) fail();
    for (let other = 0; other < 60_000; other += 1) fail(`junk-${other}@lab.test`, 'junk');
    expect(guesses(() => fail())).toBe(1);
  });

  it('one account with many addresses pushes out no familiar address of another', () => {
    succeed(VICTIM, LAB);
    for (let address = 0; address < 30_000; address += 1) succeed('mallory@lab.test', `10.1.0.${address}`);
    expect(attempts.admit(VICTIM, LAB).isFamiliar).toBe(true);
    expect(attempts.admit('mallory@lab.test', '10.1.0.0').isFamiliar).toBe(false);
    expect(attempts.admit('mallory@lab.test', '10.1.0.29999').isFamiliar).toBe(true);
  });

  it('SVC_ACCOUNT_RATE_LIMIT_ATTEMPTS sets another bound; 0 turns it off', () => {
    attempts = limited(7);
    expect(guesses(() => fail())).toBe(7);
    attempts = limited(0);
    expect(guesses(() => fail(), 5000)).toBe(5000);
  });
});

describe('a counter of failures with bounded memory', () => {
  const setUp = (attempts: number, most: number) => {
    const clock = fakeClock(NOON);
    return { clock, counter: new FailureCounter(clock, { attempts, windowMs: WINDOW }, most) };
  };
  const lock = (counter: FailureCounter, key: string) => {
    for (let failure = 0; failure < counter.limit.attempts; failure += 1) counter.add(key);
  };

  it('a counter of failures with bounded memory drops what fell back to zero', () => {
    const { counter } = setUp(3, 10);
    counter.add('a');
    counter.takeBack('a');
    expect(counter.size).toBe(0);
  });

  it('full of locked windows it counts nothing and says so, until one ends (contract 4)', () => {
    const { clock, counter } = setUp(2, 10);
    for (let key = 0; key < 10; key += 1) {
      lock(counter, `k${key}`);
      clock.advance(1000);
    }
    expect(counter.add('new')).toBe(WINDOW - 10_000);
    expect(counter.size).toBe(10);
    for (let key = 0; key < 10; key += 1) expect(counter.waitMs(`k${key}`)).toBeGreaterThan(0);
    clock.advance(WINDOW - 10_000);
    expect(counter.add('new')).toBe(0);
  });

  it('a counter of failures with bounded memory never keeps more than it may, nor lets a locked window go (contract 4)', () => {
    const step = fc.record({
      key: fc.nat(40),
      failures: fc.integer({ min: 1, max: 4 }),
      wait: fc.nat(40_000),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const { clock, counter } = setUp(3, 8);
        const lockedUntil = new Map<string, number>();
        for (const { key, failures, wait } of steps) {
          for (let failure = 0; failure < failures; failure += 1) counter.add(`${key}`);
          const locked = counter.waitMs(`${key}`);
          if (locked > 0) lockedUntil.set(`${key}`, clock.now() + locked);
          clock.advance(wait);
          expect(counter.size).toBeLessThanOrEqual(8);
          for (const [name, until] of lockedUntil) {
            expect(counter.waitMs(name)).toBe(Math.max(0, until - clock.now()));
            if (clock.now() >= until) lockedUntil.delete(name);
          }
        }
      }),
    );
  });
});
