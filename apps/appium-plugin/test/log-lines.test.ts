import type { AsyncLocalStorage } from 'node:async_hooks';
import { logger } from 'appium/support.js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppiumLogMessage, ObservableLog } from '../src/appium-types.ts';
import { escapeLogLines } from '../src/repairs/log-lines.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a log.
const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

describe("the control characters of Appium's log", () => {
  const log = logger.getLogger('test');
  const appium = log.unwrap() as unknown as ObservableLog & {
    level: string;
    readonly asyncStorage: AsyncLocalStorage<Record<string, unknown>>;
    listenerCount(event: 'log'): number;
  };
  let seen: AppiumLogMessage[] = [];
  const collect = (message: AppiumLogMessage) => seen.push(message);

  beforeAll(() => {
    appium.level = 'silent';
    appium.on('log', collect);
    escapeLogLines();
  });
  afterAll(() => appium.off('log', collect));

  function logged(...parts: unknown[]): string {
    seen = [];
    (log.info as (...all: unknown[]) => void)(...parts);
    return seen.map(({ message }) => message).join('');
  }

  it.each([
    ['\r\n[HTTP] --> GET /forged', '\\u000d\\u000a[HTTP] --> GET /forged'],
    ['\u001b[2K\u001b[1Gforged', '\\u001b[2K\\u001b[1Gforged'],
    ['\u001b[31mred\u001b[39m', '\\u001b[31mred\\u001b[39m'],
    ['\t\b\0\u007f\u0085\u009b31m', '\\u0009\\u0008\\u0000\\u007f\\u0085\\u009b31m'],
    ['a\u2028b\u2029c', 'a\\u2028b\\u2029c'],
    ['\u202eevil\u2066x\u200f', '\\u202eevil\\u2066x\\u200f'],
    ['\n    at first sight', '\\u000a    at first sight'],
    [
      '\n    at f (a.js:1:2)\n    at async Promise.all (index 0) {',
      '\n    at f (a.js:1:2)\n    at async Promise.all (index 0) {',
    ],
    ['\n[x]\n    at f (a.js:1:2)\n[y]', '\\u000a[x]\n    at f (a.js:1:2)\\u000a[y]'],
    ['é 日本 😀 \\n "quoted"', 'é 日本 😀 \\n "quoted"'],
  ])("control characters of Appium's log are escaped in a text: %j (contract 7)", (text, shown) => {
    expect(logged(`--> BIDI message #${text}`)).toBe(`--> BIDI message #${shown}`);
    expect(logged('id %s', text)).toBe(`id ${shown}`);
  });

  it('a prefix is one line', () => {
    seen = [];
    logger.getLogger('a\n[b]\u001b').info('x');
    expect(seen.map(({ prefix }) => prefix)).toEqual(['a\\u000a[b]\\u001b']);
  });

  it('a stack trace stays one, and the message of its error is one line', () => {
    const error = new Error('forged\n[HTTP] line\r', { cause: new TypeError('x') });
    const lines = logged(error).trimEnd().split('\n');
    expect(lines[0]).toBe('Error: forged\\u000a[HTTP] line\\u000d');
    expect(lines.length).toBe((error.stack?.trimEnd().split('\n').length as number) - 1);
    for (const line of lines.slice(1)) expect(line).toMatch(/^ {4}at /);
  });

  it("Appium's own colours of a request's line stay, and none that a text brings", () => {
    const line = '\u001b[37m-->\u001b[39m \u001b[37mGET\u001b[39m \u001b[37m/status\u001b[39m';
    expect(logged(line, '\u001b[90m{"a":"\u009b"}\u001b[39m')).toBe(
      `${line} \u001b[90m{"a":"\\u009b"}\u001b[39m`,
    );
    expect(logged('\u001b[37mhello\u001b[39m')).toBe('\\u001b[37mhello\\u001b[39m');
  });

  it("only stack traces have lines of their own in Appium's log, whatever is logged", () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 });
    const nasty = fc.constantFrom('\n', '\r', '\u001b[', '    at x:1:2', '[svc] ', '\u202e');
    const message = fc.array(fc.oneof(text, nasty), { maxLength: 12 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(message, (sent) => {
        const [first, ...others] = logged(`#${sent}.`).split('\n');
        expect(first).not.toMatch(UNSAFE);
        for (const line of others) {
          expect(line).toMatch(/^ {4}at .*(?::\d+:\d+|<anonymous>|native|index \d+)\)?/);
          expect(line).not.toMatch(UNSAFE);
        }
      }),
    );
  });

  it('control characters are also escaped in what JSON log lines say about a request', () => {
    appium.asyncStorage.run({ requestId: 'a\u009b31m', isSensitive: false }, () => {
      logged('x');
      expect(appium.asyncStorage.getStore()).toEqual({ requestId: 'a\\u009b31m', isSensitive: false });
    });
  });

  it('a second server of the process has it done once', () => {
    const before = appium.listenerCount('log');
    escapeLogLines();
    expect(appium.listenerCount('log')).toBe(before);
    expect(logged('a\nb')).toBe('a\\u000ab');
  });
});
