import { describe, expect, it } from 'vitest';
import type { LoggedCommand } from '../src/pages/sessions/align-commands.ts';
import { commandTitle } from '../src/pages/sessions/command-title.ts';
import { filterCommands } from '../src/pages/sessions/filter-commands.ts';
import { foldStack } from '../src/pages/sessions/fold-stack.ts';

describe('the title of a command (contract 11)', () => {
  it.each([
    ['findElement', 'Find element'],
    ['findElementFromShadowRoot', 'Find element from shadow root'],
    ['click', 'Tap'],
    ['getActiveIMEEngine', 'Get active IME engine'],
    ['svc: setSessionStatus', 'svc: setSessionStatus'],
    ['POST /appium/device/nothing', 'POST /appium/device/nothing'],
    ['constructor', 'Constructor'],
  ])('%s', (name, title) => {
    expect(commandTitle(name)).toBe(title);
  });
});

describe('the commands that are shown (contract 11)', () => {
  const row = (seq: number, change: Partial<LoggedCommand>): LoggedCommand => ({
    ...{ seq, at: '2026-01-01T00:00:00Z', method: 'POST', path: '/session/s/element', status: 200 },
    ...{ durationMs: 1, body: null, response: null, name: 'findElement', summary: '', ...change },
  });
  const rows = [
    row(1, { summary: 'xpath //Login' }),
    row(2, { name: 'click', status: 404, error: { code: 'no such element', message: 'gone' } }),
    row(3, { method: 'GET', path: '/session/s/source', name: 'getPageSource' }),
  ];
  const seqs = (text: string, onlyFailed = false) =>
    filterCommands(rows, { text, onlyFailed }).map(({ seq }) => seq);

  it('the commands that are shown match title, name, summary, error, method and path in either case (contract 11)', () => {
    expect(seqs('')).toEqual([1, 2, 3]);
    expect(seqs('find ELEMENT')).toEqual([1]);
    expect(seqs(' login ')).toEqual([1]);
    expect(seqs('gone')).toEqual([2]);
    expect(seqs('/source')).toEqual([3]);
    expect(seqs('nothing')).toEqual([]);
  });

  it('the commands that are shown are only the failed ones if the user wants that (contract 11)', () => {
    expect(seqs('', true)).toEqual([2]);
    expect(seqs('login', true)).toEqual([]);
  });
});

describe('a stack trace (contract 11)', () => {
  it('a stack trace is taken out of the response, and loses the folders of the server (contract 11)', () => {
    const stacktrace = 'Error: x\n    at find (/srv/lab/node_modules/a/b.js:1:2)\n    at file:///srv/c.js:3';
    const value = { error: 'e', message: 'm' };
    expect(foldStack({ value: { ...value, stacktrace } })).toEqual({
      response: { value },
      stack: 'Error: x\n    at find (b.js:1:2)\n    at c.js:3',
    });
  });

  it.each([null, 'text', { value: 5 }, { value: { stacktrace: '' } }])(
    'a stack trace is not in %j (contract 11)',
    (response) => {
      expect(foldStack(response)).toEqual({ response, stack: null });
    },
  );
});
