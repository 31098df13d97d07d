import { beforeEach, describe, expect, it } from 'vitest';
import { newLog, seen } from './logged.ts';

let { store, log, rowOf } = newLog();

beforeEach(() => {
  ({ store, log, rowOf } = newLog());
});

const stored = () => JSON.stringify(store.rows);

const CANARY = 'canary-5f3a9c';

function nested(levels: number, innermost: unknown): unknown {
  let value = innermost;
  for (let level = 0; level < levels; level++) value = { inner: value };
  return value;
}

describe('no secret comes to rest', () => {
  it.each([
    ['token', { token: CANARY }],
    ['sessionToken of svc:options', { caps: { 'svc:options': { sessionToken: CANARY } } }],
    ['df:options (contract 6.2)', { 'svc:df:options': { token: CANARY, accessKey: CANARY } }],
    ['oldPassword', { deep: [[{ oldPassword: CANARY }]] }],
    ['apiKey', { apiKey: CANARY }],
    ['Authorization', { headers: { Authorization: `Token ${CANARY}` } }],
    ['a header in a text', { curl: `-H "Authorization: Bearer ${CANARY}"` }],
    ['a query', { url: `https://host/?a=1&access_token=${CANARY}&b=2` }],
    ['an address', { url: `https://user:${CANARY}@host/` }],
    ['JSON in a text', { text: JSON.stringify({ password: `${CANARY} with spaces` }) }],
    ['JSON in JSON in a text', { t: JSON.stringify(JSON.stringify({ password: `two ${CANARY}` })) }],
    ['a cookie', { cookie: { name: 'sid', value: CANARY } }],
  ])('%s, in bodies and in answers (specification 5.5.4)', (_, value) => {
    rowOf({ body: value });
    rowOf({ body: { a: 1 }, response: { value } });
    rowOf({ status: 500, response: { value: { error: 'unknown error', message: JSON.stringify(value) } } });
    rowOf({ response: `not JSON ${JSON.stringify(value)}` });
    expect(stored()).not.toContain(CANARY);
    expect(stored()).toContain('**REDACTED**');
  });

  it('our own tokens and signed ones wherever they stand', () => {
    rowOf({
      body: { note: `svct_${'a'.repeat(49)}` },
      response: { value: `x eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.c2ln y` },
    });
    rowOf({ route: `/element/svct_${'a'.repeat(49)}/text`, body: { [`svct_${'a'.repeat(49)}`]: 'a name' } });
    rowOf({ body: { note: 'back=%2FeyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.c2ln' } });
    rowOf({ body: nested(40, { note: `svct_${'a'.repeat(49)}` }) });
    for (const prefix of ['svca_', 'svcl_']) rowOf({ body: { note: `${prefix}${'a'.repeat(49)}` } });
    expect(stored()).not.toMatch(/svc[atl]_a|eyJ/);
  });

  it.each([
    ['/element/7/value', { text: CANARY, value: [...CANARY] }],
    // Appium accepts other letter case and a trailing slash in paths too, so these commands must be masked as well.
    ['/Element/7/VALUE', { text: CANARY }],
    ['/element/7/value/', { text: CANARY }],
    ['/appium/element/7/replace_value', { value: CANARY }],
    ['/keys', { value: [...CANARY] }],
    ['/alert/text', { text: CANARY }],
    ['/appium/device/set_clipboard', { content: CANARY, contentType: 'plaintext' }],
    ['/appium/device/push_file', { path: '/p', data: CANARY }],
    ['/execute/sync', { script: 'mobile: type', args: [{ text: CANARY }] }],
    ['/execute/sync', { script: 'mobile: shell', args: [{ command: 'input', args: ['text', CANARY] }] }],
    ['/execute/sync', { script: 'arguments[0].value = arguments[1]', args: [{ id: 1 }, CANARY] }],
    ['/execute/sync', { script: 'svc: for (;;) {}', args: [CANARY] }],
    ['/execute/sync', { script: 'mobile: deep', args: [nested(12, { text: CANARY })] }],
    [
      '/actions',
      { actions: [{ type: 'key', actions: [...CANARY].map((value) => ({ type: 'keyDown', value })) }] },
    ],
  ])('text typed by %s is never kept, nor where the phone shows it again', (route, body) => {
    rowOf({ route, body });
    expect(stored()).not.toContain(CANARY);
    expect(stored()).not.toContain([...CANARY].join('\\",\\"'));
    rowOf({ method: 'GET', route: '/element/7/text', response: { value: `shown: ${CANARY}` } });
    rowOf({ status: 500, response: { value: { error: 'unknown error', message: `typed '${CANARY}'` } } });
    expect(stored()).not.toContain(CANARY);
  });

  it.each([1, 2])(
    'typed text is not stored after %i failed writes, even if it was typed in the last one (specification 5.5.4)',
    (failures) => {
      rowOf({ body: { x: 1 } });
      store.failing = new Error('disk full');
      for (let count = 1; count <= failures; count++) {
        log.add(seen(count < failures ? {} : { route: '/keys', body: { value: CANARY } }));
        log.flush();
      }
      store.failing = null;
      rowOf({ method: 'GET', route: '/element/7/text', response: { value: CANARY } });
      expect(stored()).not.toContain(CANARY);
    },
  );

  it('typed text of one session is not hidden in another', () => {
    rowOf({ route: '/keys', body: { value: 'Groceries' } });
    expect(rowOf({ session: 's2', response: { value: 'Groceries' } }).response).toEqual({
      value: 'Groceries',
    });
  });

  it.each([
    '/source',
    '/screenshot',
    '/cookie',
    '/appium/device/get_clipboard',
    '/se/log',
    '/appium/device/pull_file',
  ])('the content of the phone is not kept: %s', (route) => {
    expect(rowOf({ method: 'GET', route, response: { value: CANARY } }).response).toBe(
      '(answer of 25 characters not kept)',
    );
  });

  it.each(['mobile: getClipboard', 'mobile: pullFile', 'mobile: shell'])(
    'the typed text that a script returns is not stored: %s',
    (script) => {
      const answered = rowOf({
        route: '/execute/sync',
        body: { script, args: [] },
        response: { value: CANARY },
      });
      expect(answered.response).toBe('(answer of 25 characters not kept)');
    },
  );
});
