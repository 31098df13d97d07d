import { describe, expect, test } from 'vitest';
import { withCredentials } from '../src/index.ts';

const PAIR = { accessKey: 'svc_key', token: 'svct_token' };
const device = { platformName: 'Android', 'appium:app': '/app.apk' };

describe('withCredentials', () => {
  test('withCredentials puts the pair in svc:options beside what is there (spec 5.4.1)', () => {
    const given = { ...device, 'svc:options': { team: 'blue' } };
    expect(withCredentials(given, PAIR)).toEqual({ ...device, 'svc:options': { team: 'blue', ...PAIR } });
  });

  test('withCredentials puts a session token there (spec 5.4.1)', () => {
    expect(withCredentials(device, { sessionToken: 'st' })).toEqual({
      ...device,
      'svc:options': { sessionToken: 'st' },
    });
  });

  test('withCredentials replaces credentials as a set: a pair left behind would decide (contract 6.4)', () => {
    const given = { 'svc:options': { accessKey: 'old', token: 'old', sessionToken: 'old', leaseId: 'kept' } };
    expect(withCredentials(given, { sessionToken: 'new' })).toEqual({
      'svc:options': { leaseId: 'kept', sessionToken: 'new' },
    });
    expect(withCredentials(given, PAIR)).toEqual({ 'svc:options': { leaseId: 'kept', ...PAIR } });
  });

  test('withCredentials never changes what it was given (spec 5.4.1)', () => {
    const frozen = Object.freeze({ ...device, 'svc:options': Object.freeze({ team: 'blue' }) });
    const list = Object.freeze([frozen]);
    withCredentials(frozen, PAIR);
    withCredentials(list, PAIR);
    withCredentials(Object.freeze({ alwaysMatch: frozen, firstMatch: list }), PAIR);
    expect(frozen['svc:options']).toEqual({ team: 'blue' });
  });

  test('attachSessionCredentials false leaves them as they are (spec 5.7)', () => {
    expect(withCredentials(device, PAIR, { attachSessionCredentials: false })).toBe(device);
  });
});

describe('withCredentials on the W3C form', () => {
  const own = (name: string) => ({ 'svc:options': { team: name } });
  const filled = (name?: string) => ({ 'svc:options': name ? { team: name, ...PAIR } : PAIR });

  test.for([
    ['nothing there', { alwaysMatch: device, firstMatch: [{}] }, { ...device, ...filled() }, [{}]],
    ['in alwaysMatch', { alwaysMatch: own('a'), firstMatch: [device] }, filled('a'), [device]],
    ['in one entry', { alwaysMatch: device, firstMatch: [own('b'), {}] }, device, [filled('b'), filled()]],
    ['no alwaysMatch', { firstMatch: [own('b')] }, undefined, [filled('b')]],
    ['no firstMatch', { alwaysMatch: device }, { ...device, ...filled() }, undefined],
    ['in both', { alwaysMatch: own('a'), firstMatch: [own('b'), {}] }, filled('a'), [filled('b'), {}]],
  ] as const)('namespace %s: no key stands twice that did not (contract 6.1)', ([, given, always, first]) => {
    const got: Record<string, unknown> = withCredentials<Record<string, unknown>>(given, PAIR);
    expect(got.alwaysMatch).toEqual(always);
    expect(got.firstMatch).toEqual(first);
  });

  test('WebdriverIO: named and listed capabilities, the W3C form inside them (spec 5.4.1)', () => {
    const named = {
      one: { port: 1, capabilities: device },
      two: { capabilities: { alwaysMatch: device, firstMatch: [{}] } },
    };
    expect(withCredentials([named, device], PAIR)).toEqual([
      {
        one: { port: 1, capabilities: { ...device, 'svc:options': PAIR } },
        two: { capabilities: { alwaysMatch: { ...device, 'svc:options': PAIR }, firstMatch: [{}] } },
      },
      { ...device, 'svc:options': PAIR },
    ]);
  });

  test('empty capabilities are plain ones (spec 5.4.1)', () => {
    expect(withCredentials({}, PAIR)).toEqual({ 'svc:options': PAIR });
  });
});
