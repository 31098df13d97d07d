import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { swipeCommand, swipeTo } from '../src/pages/devices/remote/gestures.ts';
import { inputOfKey, keyCommand } from '../src/pages/devices/remote/phone-keys.ts';
import { problemText } from '../src/pages/devices/remote/problem-text.ts';
import { RemoteController, type RemoteState, turnIn } from '../src/pages/devices/remote/remote-controller.ts';
import { fileName } from '../src/pages/devices/remote/save-screenshot.ts';
import {
  capabilitiesIn,
  createBody,
  usualCapabilities,
} from '../src/pages/devices/remote/session-capabilities.ts';
import { DriverRefusal } from '../src/pages/devices/remote/web-driver.ts';
import { gestureOf } from '../src/screen/touch.ts';
import { texts } from '../src/texts/en.ts';

const KEY = { ctrlKey: false, altKey: false, metaKey: false };

describe('keys', () => {
  it.each([
    ['Android', 'home', { script: 'mobile: pressKey', args: [{ keycode: 3 }] }],
    ['iOS', 'volumeUp', { script: 'mobile: pressButton', args: [{ name: 'volumeup' }] }],
    ['tvOS', 'back', { script: 'mobile: pressButton', args: [{ name: 'menu' }] }],
    ['iOS', 'power', { script: 'mobile: lock', args: [{}] }],
    ['Fake', 'home', { script: 'mobile: pressKey', args: [{ keycode: 3 }] }],
  ] as const)('the key command of %s for %s is the one of its driver (contract 7)', (platform, key, body) => {
    expect(keyCommand(platform, key)).toEqual({ path: '/execute/sync', body });
  });

  it('keys without a button of their own are sent as keys of the WebDriver standard, or as its command back (contract 7)', () => {
    expect(keyCommand('iOS', 'back')).toEqual({ path: '/back', body: {} });
    expect(keyCommand('Fake', 'enter')).toEqual({
      path: '/actions',
      body: {
        actions: [
          {
            type: 'key',
            id: 'keys',
            actions: [
              { type: 'keyDown', value: '\uE007' },
              { type: 'keyUp', value: '\uE007' },
            ],
          },
        ],
      },
    });
  });

  it('keys of the keyboard go to the phone, except those that leave the screen and shortcuts of the browser', () => {
    expect(inputOfKey({ ...KEY, key: 'a' })).toEqual({ kind: 'text', text: 'a' });
    expect(inputOfKey({ ...KEY, key: '😀' })).toEqual({ kind: 'text', text: '😀' });
    expect(inputOfKey({ ...KEY, key: 'Enter' })).toEqual({ kind: 'key', key: 'enter' });
    expect(
      inputOfKey({ ...KEY, key: '@', ctrlKey: true, altKey: true, getModifierState: () => true }),
    ).toEqual({ kind: 'text', text: '@' });
    for (const key of ['Tab', 'Escape', 'F5', 'Shift', 'constructor'])
      expect(inputOfKey({ ...KEY, key }), key).toBeNull();
    expect(inputOfKey({ ...KEY, key: 'r', ctrlKey: true })).toBeNull();
  });
});

describe('gestures', () => {
  const rect = { left: 100, top: 50, width: 200, height: 400 };
  const at = (clientX: number, clientY: number, timeStamp = 0) => ({ clientX, clientY, timeStamp });

  it('a pointer that hardly moves taps, one that moves swipes for as long as it took', () => {
    expect(gestureOf(at(200, 250), at(205, 250, 900), rect)).toEqual({ kind: 'tap', at: { x: 0.5, y: 0.5 } });
    expect(gestureOf(at(200, 350), at(200, 150, 400), rect)).toEqual({
      kind: 'swipe',
      from: { x: 0.5, y: 0.75 },
      to: { x: 0.5, y: 0.25 },
      durationMs: 400,
    });
    expect(gestureOf(at(200, 350), at(200, 9_999, 99_000), rect)).toMatchObject({
      to: { x: 0.5, y: 1 },
      durationMs: 3_000,
    });
  });

  it('parts of the screen become coordinates of the driver, which end one before the size', () => {
    const { body } = swipeCommand(
      { from: { x: 1, y: 1 }, to: { x: 0, y: 0.5 }, durationMs: 10 },
      { width: 390, height: 844 },
    );
    const [{ actions }] = (body as { actions: [{ actions: object[] }] }).actions;
    expect(actions[0]).toMatchObject({ x: 389, y: 843 });
    expect(actions[2]).toMatchObject({ x: 0, y: 422, duration: 10 });
    expect(swipeTo('up').from.y).toBeGreaterThan(swipeTo('up').to.y);
  });
});

describe('capabilities', () => {
  const example = { platformName: 'Fake', 'appium:automationName': 'Fake' };

  it('capabilities fit the phone: its driver, or those of the virtual phones (contract 9)', () => {
    expect(usualCapabilities({ platform: 'Fake' }, example)).toBe(example);
    expect(usualCapabilities({ platform: 'iOS' }, example)).toEqual({
      platformName: 'iOS',
      'appium:automationName': 'XCUITest',
    });
    expect(usualCapabilities({ platform: 'android' }, null)).toMatchObject({
      'appium:automationName': 'UiAutomator2',
    });
    expect(usualCapabilities({ platform: 'Tizen' }, example)).toEqual({ platformName: 'Tizen' });
  });

  it('capabilities of the user cannot name another phone, another owner or a longer idle time-out (contract 6)', () => {
    const capabilities = {
      'appium:udid': 'other',
      'appium:newCommandTimeout': 0,
      'svc:options': { record: 'all' },
    };
    expect(createBody({ capabilities, udid: 'mine', sessionToken: 'jws', app: 'a-1' })).toEqual({
      capabilities: {
        alwaysMatch: {
          'appium:udid': 'mine',
          'appium:newCommandTimeout': 90,
          'appium:app': 'svc:app/a-1',
          'svc:options': { record: 'all', sessionToken: 'jws' },
        },
        firstMatch: [{}],
      },
    });
    const { noCredentials, notJson, notObject } = texts.remote.options;
    const refused = (text: string) => {
      try {
        return capabilitiesIn(text);
      } catch (problem) {
        return problem;
      }
    };
    for (const namespace of ['svc:options', 'lab:options'])
      expect(refused(JSON.stringify({ [namespace]: { accessKey: 'k', token: 't' } }))).toBe(noCredentials);
    expect(refused('{')).toBe(notJson);
    for (const text of ['[]', 'null', '{"alwaysMatch":{}}']) expect(refused(text)).toBe(notObject);
    expect(capabilitiesIn('{"platformName":"Android"}')).toEqual({ platformName: 'Android' });
  });
});

describe('texts', () => {
  it('the texts of remote control say in plain words what a driver refused', () => {
    const { noSuchKey, refused, sessionGone } = texts.remote.problems;
    const unsupported = new DriverRefusal('unsupported operation', 'Unsupported execute method');
    expect(problemText(unsupported, noSuchKey)).toBe(noSuchKey);
    expect(problemText(new DriverRefusal('invalid session id', 'gone'))).toBe(sessionGone);
    expect(problemText(new DriverRefusal('unknown error', 'no space\n  at stack'))).toBe(refused('no space'));
  });

  it('name the file of a screenshot, whatever the phone calls itself', () => {
    const now = new Date('2026-01-02T03:04:05Z');
    expect(fileName('../Pixel 8/é', now)).toBe('Pixel-8-é-2026-01-02T03-04-05');
    expect(fileName('//', now)).toBe('phone-2026-01-02T03-04-05');
  });
});

describe('the session of the page', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const session = (name: string | null, id = 's1') => ({ id, name, owner: null, startedAt: '' });

  /** A controller whose commands are answered by `answer`, and what it sent and reported. */
  function controlled(answer: (method: string, path: string) => unknown = () => null) {
    const sent: string[] = [];
    const states: RemoteState[] = [];
    const send = async (method: string, path: string, body?: object) => {
      sent.push(`${method} ${path}${body === undefined ? '' : ` ${JSON.stringify(body)}`}`);
      if (method === 'POST' && path === '/session')
        return { sessionId: 's1', ...(answer(method, path) as object) };
      return answer(method, path);
    };
    const controller = new RemoteController({
      webDriver: {
        send,
        prepare: async () => {},
        sendLast: (method, path) => void sent.push(`last ${method} ${path}`),
      },
      device: { udid: 'u1', platform: 'Fake' },
      report: (state) => void states.push(state),
      mintSessionToken: async () => 'jws',
    });
    return { controller, sent, kind: () => states.at(-1) };
  }

  const start = async (controlling: ReturnType<typeof controlled>) => {
    await controlling.controller.start({ capabilities: {} });
    await vi.advanceTimersByTimeAsync(0);
  };

  it('the session of the page is named, kept alive, and ended when the user stops (contract 6)', async () => {
    const controlling = controlled();
    await start(controlling);
    const { controller, sent, kind } = controlling;
    expect(sent[0]).toContain('"svc:options":{"sessionToken":"jws"}');
    expect(sent[1]).toContain('"name":"Remote control"');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sent.filter((line) => line.startsWith('GET /session/s1/window/rect'))).toHaveLength(2);
    await controller.stop();
    expect(sent.at(-1)).toBe('DELETE /session/s1');
    expect(kind()).toEqual({ kind: 'off', endedId: 's1' });
    const before = sent.length;
    await vi.advanceTimersByTimeAsync(120_000);
    expect(sent).toHaveLength(before);
  });

  it('the session of the page ends with the page and with the lease, and not when another tab takes over (contract 2 /leases)', async () => {
    const left = controlled();
    await start(left);
    left.controller.leave();
    expect(left.sent.at(-1)).toBe('last DELETE /session/s1');

    const leased = controlled();
    await start(leased);
    leased.controller.follow(session('Remote control'), false);
    expect(leased.sent.at(-1)).toBe('DELETE /session/s1');
    expect(leased.kind()).toMatchObject({ kind: 'off', why: 'lease' });

    const taken = controlled();
    await start(taken);
    taken.controller.follow(session('Remote control'), true);
    expect(taken.kind()).toMatchObject({ kind: 'running' });
    taken.controller.follow(session('Remote control (2)'), true);
    expect(taken.kind()).toEqual({ kind: 'off', why: 'taken' });
    expect(taken.sent.filter((line) => line.includes('DELETE'))).toEqual([]);
  });

  it('a session that another tab runs is continued under a new name', async () => {
    const { controller, sent, kind } = controlled();
    await controller.takeOver(session('Remote control'));
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toEqual([expect.stringContaining('"name":"Remote control (2)"')]);
    // In the list of phones, the session still has its previous name.
    controller.follow(session('Remote control'), true);
    expect(kind()).toMatchObject({ kind: 'running' });
    expect(turnIn('Remote control of mine')).toBeNull();
  });

  it('a page that is left before it has taken over sends nothing, because nobody would end the session', async () => {
    const { controller, sent, kind } = controlled();
    const taken = controller.takeOver(session('Remote control'));
    controller.leave();
    await taken;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sent).toEqual([]);
    expect(kind()).toBeUndefined();
  });

  it('the page notices a session that ended elsewhere in the list of phones or with the next command', async () => {
    const listed = controlled();
    await start(listed);
    listed.controller.follow(undefined, true);
    expect(listed.kind()).toMatchObject({ kind: 'running' });
    listed.controller.follow(session(null), true);
    listed.controller.follow(undefined, true);
    expect(listed.kind()).toMatchObject({ why: 'elsewhere' });

    const refused = controlled((method) => {
      if (method === 'GET') throw new DriverRefusal('invalid session id', 'gone');
      return null;
    });
    await start(refused);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(refused.kind()).toMatchObject({ why: 'elsewhere' });
  });

  it('a session that starts after the user has cancelled is ended, and a refused start leaves none', async () => {
    const cancelled = controlled();
    const starting = cancelled.controller.start({ capabilities: {} });
    await cancelled.controller.stop();
    await starting;
    expect(cancelled.sent.at(-1)).toBe('last DELETE /session/s1');
    expect(cancelled.kind()).toEqual({ kind: 'off' });

    const refused = controlled(() => {
      throw new DriverRefusal('session not created', 'no');
    });
    await expect(refused.controller.start({ capabilities: {} })).rejects.toThrow('no');
    expect(refused.kind()).toEqual({ kind: 'off' });
  });
});
