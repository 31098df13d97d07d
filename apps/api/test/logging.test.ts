import { describe, expect, it } from 'vitest';
import { leveledLog } from '../src/logging/leveled-log.ts';

describe('the log', () => {
  it('the log writes entries at its level or above, each as one line without control characters', () => {
    const lines: unknown[] = [];
    const log = leveledLog('info', (...line) => lines.push(line));
    log.debug('not this');
    log.info('a\nb', { password: 'x' });
    log.error('c');
    expect(lines).toEqual([
      ['info', 'a\\u000ab', { password: '**REDACTED**' }],
      ['error', 'c', {}],
    ]);
  });

  it('the log reads nothing of an entry below its level', () => {
    const log = leveledLog('silent', () => expect.unreachable());
    const fields = {
      get costly(): never {
        throw new Error('it was looked at');
      },
    };
    for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level]('x', fields);
  });
});
