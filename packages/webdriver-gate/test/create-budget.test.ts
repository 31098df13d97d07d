import { describe, expect, it } from 'vitest';
import { CreateBudget } from '../src/create-budget.ts';
import { TooManyCreates } from '../src/responses.ts';

const KIB = 1024;
const clock = { at: 0, now: () => clock.at };

function budgetOf(limit: number) {
  clock.at = 0;
  return new CreateBudget(clock, limit);
}

describe('the budget for bodies of creates (contract 5)', () => {
  it('the budget for bodies of creates is 64 MiB, shared by all creates (contract 5)', () => {
    const budget = new CreateBudget(clock);
    const shares = Array.from({ length: 128 }, () => budget.open());
    for (const share of shares) share.hold(512 * KIB);
    expect(budget.held).toBe(64 * KIB * KIB);
    expect(() => budget.open().hold(1)).toThrow(TooManyCreates);
    shares[7]?.release();
    expect(() => budget.open().hold(1)).not.toThrow();
  });

  it('the budget for bodies of creates counts what a create holds now, not the sum of what it held (contract 5)', () => {
    const budget = budgetOf(10);
    const share = budget.open();
    for (const bytes of [4, 8, 10, 3]) share.hold(bytes);
    expect(budget.held).toBe(3);
    expect(() => share.hold(11)).toThrow(TooManyCreates);
    expect(budget.held).toBe(3);
  });

  it('the budget for bodies of creates gets the bytes of a create back once, however often it is released (contract 5)', () => {
    const budget = budgetOf(10);
    const [first, second] = [budget.open(), budget.open()];
    first.hold(6);
    second.hold(4);
    first.release();
    first.release();
    expect(budget.held).toBe(4);
  });

  it('the budget for bodies of creates evicts the oldest body that is still being read, once it has taken 5 s (contract 5)', () => {
    const budget = budgetOf(10);
    const evicted: number[] = [];
    const shares = [4, 3, 3].map((bytes, index) => {
      clock.at = index;
      const share = budget.open();
      share.reading((error) => evicted.push(index, error.retryAfterSec));
      share.hold(bytes);
      return share;
    });
    clock.at = 4_999;
    expect(() => budget.open().hold(1)).toThrow(TooManyCreates);
    clock.at = 5_000;
    budget.open().hold(4);
    expect(evicted).toEqual([0, 5]);
    expect(() => budget.open().hold(1)).toThrow(TooManyCreates);
    shares[1]?.read();
    clock.at = 60_000;
    budget.open().hold(1);
    expect(evicted).toEqual([0, 5, 2, 5]);
    expect(budget.held).toBe(8);
  });

  it('the budget for bodies of creates does not evict a body for itself (contract 5)', () => {
    const budget = budgetOf(10);
    const share = budget.open();
    share.reading(() => expect.unreachable());
    share.hold(10);
    clock.at = 60_000;
    expect(() => share.hold(11)).toThrow(TooManyCreates);
  });
});
