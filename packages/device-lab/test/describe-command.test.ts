import { beforeEach, describe, expect, it } from 'vitest';
import { newLog, type RequestInput } from './logged.ts';

const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

let { rowOf } = newLog();
beforeEach(() => {
  ({ rowOf } = newLog());
});

const shown = (input: RequestInput): string[] => {
  const { name, summary } = rowOf(input);
  return [name, summary];
};

const find = (value: string, ids: readonly string[], session = 's1') =>
  rowOf({
    session,
    route: ids.length > 1 ? '/elements' : '/element',
    body: { using: 'xpath', value },
    response: { value: ids.length > 1 ? ids.map((id) => ({ [ELEMENT]: id })) : { [ELEMENT]: ids[0] } },
  });

describe('name and summary of a command (contract 11)', () => {
  it.each<[RequestInput, string[]]>([
    [{ method: 'DELETE', route: '' }, ['deleteSession', '']],
    [{ route: '/element', body: { using: 'xpath', value: '//login' } }, ['findElement', 'xpath //login']],
    [{ route: '/elements/', body: { using: 'id', value: 'a\n b' } }, ['findElements', 'id a b']],
    [{ method: 'GET', route: '/element/e9/attribute/Text' }, ['getAttribute', 'element e9 Text']],
    [{ route: '/element/e9/value', body: { text: 'my password' } }, ['setValue', 'element e9']],
    [
      { route: '/url', body: { url: 'https://ana:pw@x.example/a?code=1' } },
      ['setUrl', 'https://**REDACTED**@x.example/a?code=**REDACTED**'],
    ],
    [
      { route: '/execute/sync', body: { script: 'svc: setSessionStatus', args: [{ status: 'failed' }] } },
      ['svc: setSessionStatus', 'failed'],
    ],
    [
      { route: '/execute/sync', body: { script: 'mobile: tap', args: [{ x: 10, y: 20 }] } },
      ['mobile: tap', '10 20'],
    ],
    [{ route: '/execute/sync', body: { script: 'return document.title', args: [] } }, ['execute', '']],
    [{ route: '/appium/device/nothing', body: { x: 1 } }, ['POST /appium/device/nothing', '1']],
    [{ method: 'GET', route: '/toString' }, ['GET /tostring', '']],
    [{ method: 'GET', route: '/cookie/a' }, ['getCookie', '']],
  ])('%j', (input, expected) => {
    expect(shown(input)).toEqual(expected);
  });

  it('a gesture is shown by its points', () => {
    const actions = [
      { type: 'pointerMove', x: 1, y: 2 },
      { type: 'pointerDown', button: 0 },
      { type: 'pointerMove', x: 1, y: 90 },
    ];
    const body = {
      actions: [
        { type: 'pointer', id: 'finger', actions },
        { type: 'key', actions: [] },
      ],
    };
    expect(shown({ route: '/actions', body })).toEqual(['performActions', '1,2 to 1,90 and key']);
  });

  it('a command on an element is shown with the locator that found it', () => {
    find('//login', ['e1']);
    find('//row', ['r1', 'r2']);
    expect(shown({ route: '/element/e1/click', body: {} })).toEqual(['click', 'xpath //login']);
    expect(shown({ method: 'GET', route: '/element/r2/text' })).toEqual(['getText', 'xpath //row [2]']);
    const within = { route: '/element/e1/element', body: { using: 'id', value: 'x' } };
    expect(shown(within)).toEqual(['findElementFromElement', 'id x xpath //login']);
    expect(rowOf({ session: 'other', route: '/element/e1/click' }).summary).toBe('element e1');
  });

  it('only the newest elements of a session with many keep their locator (contract 11)', () => {
    find('//old', ['first']);
    for (let at = 0; at < 500; at++) find('//new', [`n${at}`]);
    expect(rowOf({ route: '/element/first/click' }).summary).toBe('element first');
    expect(rowOf({ route: '/element/n499/click' }).summary).toBe('xpath //new');
  });

  it('name and summary of a command are one bounded line (contract 11)', () => {
    const { summary } = find(`//a${'\n- '.repeat(400)}`, ['e']);
    expect(summary).not.toMatch(/\s{2}|\n/);
    expect(summary).toHaveLength(201);
  });
});

describe('the error of a command (contract 11)', () => {
  const refused = (response: unknown, status = 404) => rowOf({ status, response }).error;

  it('the error of a command is its code and message without a stack trace; a command that succeeded has none (contract 11)', () => {
    const value = {
      error: 'no such element',
      message: 'Not found\n    at Driver.find (/home/x/driver.js:1:2)',
      stacktrace: 'NoSuchElementError: at /home/x/driver.js',
    };
    expect(refused({ value })).toEqual({ code: 'no such element', message: 'Not found' });
    expect(rowOf({ response: { value } })).not.toHaveProperty('error');
  });

  it('the error of a command is read from a response that was cut (contract 11)', () => {
    const value = { error: 'timeout', message: 'say "when"', stacktrace: 'at x\n'.repeat(2_000) };
    expect(refused({ value }, 500)).toEqual({ code: 'timeout', message: 'say "when"' });
  });

  it.each([undefined, '', '<html>"message":"\\x"</html>', { value: null }, { value: { error: 5 } }, '[]'])(
    'the error of a command is told by the status when the response is %j (contract 11)',
    (response) => {
      expect(refused(response, 502)).toEqual({ code: 'unknown error', message: 'HTTP status 502' });
    },
  );

  it('the error of a command hides what was typed (contract 11)', () => {
    rowOf({ route: '/element/e/value', body: { text: 'hunter22' } });
    const value = { error: 'invalid argument', message: 'cannot type hunter22' };
    expect(refused({ value }, 400)?.message).toBe('cannot type **REDACTED**');
  });
});
