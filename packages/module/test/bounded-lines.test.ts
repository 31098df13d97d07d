import type { Log } from '@svc/auth-core';
import { fakeClock } from '@svc/auth-core/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { BoundedLines, failureLines, refusalLines } from '../src/bounded-lines.ts';

const MINUTE = 60_000;

describe.each([
  [
    'warnings of refused requests',
    'warn',
    refusalLines,
    'more requests were refused in one minute; the audit trail counts them by caller',
  ],
  ['errors of requests that failed', 'error', failureLines, 'more requests failed in one minute'],
] as const)('%s', (_name, level, linesIn, beyond) => {
  let lines: string[];
  let bounded: BoundedLines;
  const clock = fakeClock(0);
  const warn = (count: number, peer = '192.0.2.1') => {
    for (let turn = 0; turn < count; turn += 1) bounded.write(peer, `line ${turn}`, {});
  };

  beforeEach(() => {
    lines = [];
    clock.set(20 * MINUTE);
    const log = { [level]: (line: string) => lines.push(line) } as unknown as Log;
    bounded = linesIn(log, clock);
  });

  it('bounded lines of a log are one each (contract 7)', () => {
    warn(BoundedLines.MOST_OF_PEER);
    expect(lines).toHaveLength(BoundedLines.MOST_OF_PEER);
    clock.advance(MINUTE);
    warn(1);
    expect(lines.at(-1)).toBe('line 0');
    expect(lines).toHaveLength(BoundedLines.MOST_OF_PEER + 1);
  });

  it('log lines of one peer are limited per minute without affecting others, and one line says how many there were', () => {
    warn(6000);
    warn(1, '192.0.2.2');
    expect(lines).toHaveLength(BoundedLines.MOST_OF_PEER + 1);
    clock.advance(MINUTE);
    warn(1);
    const count = 6000 - BoundedLines.MOST_OF_PEER;
    expect(lines.slice(-2)).toEqual([`${count} ${beyond}`, 'line 0']);
  });

  it('log lines of many peers are limited together', () => {
    for (let peer = 0; peer < 5000; peer += 1) warn(2, `peer ${peer}`);
    expect(lines).toHaveLength(BoundedLines.MOST);
  });

  it('bounded lines of a log go on when the clock is set back', () => {
    warn(6000);
    clock.advance(-5 * MINUTE);
    warn(1);
    expect(lines.at(-1)).toBe('line 0');
  });
});
