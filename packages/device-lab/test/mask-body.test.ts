import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newLog } from './logged.ts';

const HIDDEN = '**REDACTED**';
/**
 * A text that must not appear in the log. It matches every pattern that `kept-fields.ts` allows for a text, and
 * `DIGITS` matches every pattern for a number.
 */
const CANARY = 'c4n4ry.x';
const DIGITS = 48_151_623;

const logged = (route: string, body: unknown) => newLog().rowOf({ route, body }).body;

describe('what is kept of a command (specification 5.5.4)', () => {
  it.each<[string, unknown]>([
    ['/execute/sync', { script: 'mobile: unlock', args: [{ key: CANARY, type: 'pin' }] }],
    ['/execute/sync', { script: 'mobile: unlock', args: [{ key: DIGITS, strategy: 'uiautomator' }] }],
    ['/execute/sync', { script: 'mobile: launchApp', args: [{ environment: { url: CANARY, x: DIGITS } }] }],
    ['/execute/sync', { script: 'mobile: pressKey', args: [{ keycode: DIGITS, metastate: 1 }] }],
    ['/execute/sync', { script: `document.forms[0].pin.value = '${CANARY}'`, args: [] }],
    ['/execute', { script: `mobile: x; '${CANARY}'` }],
    [
      '/execute/sync',
      { script: 'mobile: deepLink', args: [{ url: `app://pay?to=${CANARY} and ${CANARY}` }] },
    ],
    [
      '/appium/execute_driver',
      { script: `await driver.$('~pin').setValue('${CANARY}')`, type: 'webdriverio' },
    ],
    ['/goog/cdp/execute', { cmd: 'Input.insertText', params: { text: CANARY } }],
    ['/ms/cdp/execute', { cmd: 'Network.setCookie', params: { name: 'sid', url: CANARY } }],
    ['/chromium/send_command', { cmd: 'Runtime.evaluate', params: { expression: CANARY, x: DIGITS } }],
    ['/appium/device/press_keycode', { keycode: DIGITS }],
    ['/appium/device/long_press_keycode', { keycode: DIGITS, flags: DIGITS }],
    ['/appium/device/keyevent', { keycode: String(DIGITS) }],
    ['/url', { url: `https://${CANARY}@host/?sig=${CANARY}#${CANARY}` }],
    ['/appium/device/install_app', { appPath: `https://host/a.apk?${CANARY}` }],
    ['/fakedriver', { login: { pass: CANARY, user: CANARY } }],
    ['/appium/device/finger_print', { fingerprintId: DIGITS }],
  ])('%s %j: no secret of it', (route, body) => {
    const { store, rowOf } = newLog();
    rowOf({ route, body });
    const kept = JSON.stringify(store.rows);
    expect(kept).not.toContain(CANARY);
    expect(kept).not.toContain(String(DIGITS));
    expect(kept).toContain(HIDDEN);
  });

  it('key codes that spell a PIN are masked, one by one and together', () => {
    const codes = [8, 9, 10, 11];
    for (const keycode of codes) {
      expect(logged('/appium/device/press_keycode', { keycode })).toEqual({ keycode: HIDDEN });
    }
    const pressed = [{ keycodes: codes, keys: [...'1234'] }];
    expect(logged('/execute/sync', { script: 'mobile: pressKey', args: pressed })).toEqual({
      script: 'mobile: pressKey',
      args: [{ keycodes: HIDDEN, keys: HIDDEN }],
    });
    const actions = ['keyDown', 'keyUp'].map((type) => ({ type, value: '7' }));
    expect(logged('/actions', { actions: [{ type: 'key', id: 'k', actions }] })).toEqual({
      actions: [
        { type: 'key', id: HIDDEN, actions: ['keyDown', 'keyUp'].map((type) => ({ type, value: HIDDEN })) },
      ],
    });
  });

  it('a PIN is masked where the driver quotes it, as text and as a number', () => {
    const { rowOf } = newLog();
    rowOf({
      route: '/execute/sync',
      body: { script: 'mobile: unlock', args: [{ key: '4815', type: 'pin' }] },
    });
    rowOf({ route: '/execute/sync', body: { script: 'mobile: unlock', args: [{ key: DIGITS }] } });
    const message = `key 4815 of ${DIGITS} is wrong`;
    const response = { value: { error: 'unknown error', message, given: DIGITS } };
    expect(rowOf({ status: 500, response }).response).toEqual({
      value: { error: 'unknown error', message: `key ${HIDDEN} of ${HIDDEN} is wrong`, given: HIDDEN },
    });
  });

  it('typed text is masked before a long answer is cut (specification 5.5.4)', () => {
    const { store, rowOf } = newLog();
    rowOf({ route: '/keys', body: { text: `${CANARY} and more` } });
    rowOf({ response: { value: `${'x '.repeat(1_020)}${CANARY} and more` } });
    expect(JSON.stringify(store.rows)).not.toContain(CANARY);
  });

  it.each<[string, unknown]>([
    ['/execute_driver', undefined],
    ['/goog/cdp/execute', { cmd: 'Network.getCookies' }],
  ])('the answer of %s is not kept: a program brings what it likes', (route, body) => {
    const answered = newLog().rowOf({ route, body, response: { value: CANARY } });
    expect(answered.response).toMatch(/^\(answer of \d+ characters not kept\)$/);
  });

  it.each<[string, object]>([
    ['/url', { url: 'https://shop.example/cart' }],
    ['/element', { using: 'accessibility id', value: 'Log in' }],
    ['/element/7/elements', { using: 'xpath', value: '//*[@text="Cart"]' }],
    ['/orientation', { orientation: 'LANDSCAPE' }],
    ['/timeouts', { implicit: 500, pageLoad: 30_000, script: 1_000 }],
    ['/context', { name: 'WEBVIEW_com.shop' }],
    ['/window', { handle: 'CDwindow-1' }],
    ['/frame', { id: { 'element-6066-11e4-a52e-4f735466cecf': 'e-1' } }],
    ['/window/rect', { x: 1, y: 2, width: 3, height: 4 }],
    ['/appium/settings', { settings: { waitForIdleTimeout: 100, ignoreUnimportantViews: true } }],
    ['/appium/device/activate_app', { appId: 'com.shop.app' }],
    [
      '/actions',
      {
        actions: [
          {
            type: 'pointer',
            parameters: { pointerType: 'touch' },
            actions: [
              { type: 'pointerMove', duration: 0, x: 10, y: 20, origin: 'viewport' },
              { type: 'pointerDown', button: 0 },
            ],
          },
        ],
      },
    ],
    [
      '/execute/sync',
      { script: 'mobile: swipe', args: [{ direction: 'up', percent: 0.5, elementId: 'e-1' }] },
    ],
    ['/execute/sync', { script: 'svc: debug', args: [{ message: 'before the payment' }] }],
  ])('%s stays readable', (route, body) => {
    expect(logged(route, body)).toEqual(body);
  });
});

/** Fields whose texts or numbers are logged, by route. The guide in docs/guides lists the same fields. */
const NUMBERS =
  'x y z startX startY endX endY fromX fromY toX toY deltaX deltaY xOffset yOffset left top width height duration speed velocity percent scale rotation';
const IDS =
  'element elementId ELEMENT element-6066-11e4-a52e-4f735466cecf shadow-6066-11e4-a52e-4f735466cecf bundleId appId appPackage url app appPath';
const LIST: Readonly<Record<string, string>> = {
  '/element/7/value': '',
  '/keys': '',
  '/appium/device/press_keycode': '',
  '/appium/device/long_press_keycode': '',
  '/execute_driver': '',
  '/goog/cdp/execute': '',
  '/execute/sync': `${NUMBERS} ${IDS}`,
  '/actions': `${NUMBERS} ${IDS} button`,
  '/fakedriver': `${NUMBERS} ${IDS}`,
  '/element': `${NUMBERS} ${IDS} using value`,
};
const NAMES = [
  ...`${NUMBERS} ${IDS} using value button`.split(' '),
  ...'script cmd params args actions text key keycode type id pass pin env environment name message data'.split(
    ' ',
  ),
];

describe('a canary in every leaf (specification 5.5.4)', () => {
  const leaf = fc.constantFrom('text', 'number', 'address');
  const { body } = fc.letrec<{ body: unknown }>((tie) => ({
    body: fc.oneof(
      { depthSize: 'medium' },
      leaf,
      fc.array(tie('body'), { maxLength: 3 }),
      fc.dictionary(fc.oneof(fc.constantFrom(...NAMES), fc.string()), tie('body'), { maxKeys: 6 }),
    ),
  }));

  it.each(Object.keys(LIST))(
    'a canary in every leaf is in the log through the list only: %s (property) (specification 5.5.4)',
    (route) => {
      const listed = new Set((LIST[route] as string).split(' '));
      const { store, rowOf } = newLog();
      let runs = 0;
      fc.assert(
        fc.property(fc.dictionary(fc.constantFrom(...NAMES), body, { minKeys: 1 }), (shape) => {
          const { planted, sent } = plant(shape);
          runs += 1;
          const session = `s${runs}`;
          rowOf({ session, route, body: sent });
          const quoted = { message: planted.map(({ text }) => `'${text}'`).join(' ') };
          if (planted.length < 20) rowOf({ session, status: 500, response: { value: quoted } });
          const [command = '', quote = ''] = store
            .heads(session)
            .flatMap(({ seq }) => JSON.parse(store.entriesAt(session, seq) ?? '[]') as unknown[])
            .map((entry) => JSON.stringify(entry));
          expect(command).not.toBe('');
          for (const { text, name, kind, below } of planted) {
            const may = listed.has(name) && kind !== 'address' && !below;
            expect(may || !command.includes(text), `${route} ${name} ${text} in ${command}`).toBe(true);
            const typed =
              !['/fakedriver', '/element'].includes(route) && kind === 'text' && name !== 'script';
            expect(!typed || listed.has(name) || !quote.includes(text), `${text} in ${quote}`).toBe(true);
          }
        }),
        { numRuns: 200 },
      );
    },
  );
});

interface Planted {
  readonly text: string;
  /** Name of the nearest field around the value. */
  readonly name: string;
  readonly kind: string;
  /** Whether the value is below a field that masks everything. */
  readonly below: boolean;
}

/** Puts a different recognizable text or number into each leaf of a shape, so that the test finds it in the log. */
function plant(shape: unknown): { planted: Planted[]; sent: unknown } {
  const planted: Planted[] = [];
  const walk = (value: unknown, name: string, below: boolean): unknown => {
    if (Array.isArray(value)) return value.map((item) => walk(item, name, below));
    if (typeof value === 'object' && value !== null) {
      const fields = Object.entries(value);
      return Object.fromEntries(
        fields.map(([key, inner]) => [
          key,
          walk(inner, key, below || /^(?:env|environment|pass|pin)$/.test(key)),
        ]),
      );
    }
    const number = DIGITS * 1_000 + planted.length;
    const text = value === 'number' ? String(number) : `c4n4ry.x${planted.length}z`;
    planted.push({ text, name, kind: String(value), below });
    if (value === 'number') return number;
    return value === 'address' ? `https://${text}@host/path?sig=${text}&${text}#${text}` : text;
  };
  return { sent: walk(shape, '', false), planted };
}
