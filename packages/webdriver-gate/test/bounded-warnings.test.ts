import { fakeClock } from '@svc/auth-core/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { BoundedWarnings } from '../src/bounded-warnings.ts';

const MINUTE = 60_000;

describe('warnings of refused requests', () => {
  let lines: string[];
  let warnings: BoundedWarnings;
  const clock = fakeClock(0);
  const warn = (count: number, peer = '192.0.2.1') => {
    for (let turn = 0; turn < count; turn += 1) warnings.warn(peer, `line ${turn}`, {});
  };

  beforeEach(() => {
    lines = [];
    clock.set(20 * MINUTE);
    warnings = new BoundedWarnings({ warn: (line) => lines.push(line) }, clock);
  });

  it('(contract 7) are one each', () => {
    warn(BoundedWarnings.MOST_OF_PEER);
    expect(lines).toHaveLength(BoundedWarnings.MOST_OF_PEER);
    clock.advance(MINUTE);
    warn(1);
    expect(lines.at(-1)).toBe('line 0');
    expect(lines).toHaveLength(BoundedWarnings.MOST_OF_PEER + 1);
  });

  it('of one peer are bounded in a minute, others keep theirs, and a line tells how many there were', () => {
    warn(6000);
    warn(1, '192.0.2.2');
    expect(lines).toHaveLength(BoundedWarnings.MOST_OF_PEER + 1);
    clock.advance(MINUTE);
    warn(1);
    const count = 6000 - BoundedWarnings.MOST_OF_PEER;
    expect(lines.slice(-2)).toEqual([
      `${count} more requests were refused in one minute; the audit trail counts them by caller`,
      'line 0',
    ]);
  });

  it('of many peers are bounded together', () => {
    for (let peer = 0; peer < 5000; peer += 1) warn(2, `peer ${peer}`);
    expect(lines).toHaveLength(BoundedWarnings.MOST);
  });

  it('go on when the clock is set back', () => {
    warn(6000);
    clock.advance(-5 * MINUTE);
    warn(1);
    expect(lines.at(-1)).toBe('line 0');
  });
});
