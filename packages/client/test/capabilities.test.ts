import { describe, expect, test } from 'vitest';
import { withCredentials } from '../src/index.ts';

const PAIR = { accessKey: 'svc_key', token: 'svct_token' };
const phone = { platformName: 'Android', 'appium:app': '/app.apk' };

describe('withCredentials', () => {
  test('(spec 5.4.1) puts the pair in svc:options beside what is there', () => {
    const given = { ...phone, 'svc:options': { team: 'blue' } };
    expect(withCredentials(given, PAIR)).toEqual({ ...phone, 'svc:options': { team: 'blue', ...PAIR } });
  });

  test('(spec 5.4.1) puts a session token there', () => {
    expect(withCredentials(phone, { sessionToken: 'st' })).toEqual({
      ...phone,
      'svc:options': { sessionToken: 'st' },
    });
  });

  test('(contract 6.4) replaces credentials as a set: a pair left behind would decide', () => {
    const given = { 'svc:options': { accessKey: 'old', token: 'old', sessionToken: 'old', leaseId: 'kept' } };
    expect(withCredentials(given, { sessionToken: 'new' })).toEqual({
      'svc:options': { leaseId: 'kept', sessionToken: 'new' },
    });
    expect(withCredentials(given, PAIR)).toEqual({ 'svc:options': { leaseId: 'kept', ...PAIR } });
  });

  test('(spec 5.4.1) never changes what it was given', () => {
    const frozen = Object.freeze({ ...phone, 'svc:options': Object.freeze({ team: 'blue' }) });
    const list = Object.freeze([frozen]);
    withCredentials(frozen, PAIR);
    withCredentials(list, PAIR);
    withCredentials(Object.freeze({ alwaysMatch: frozen, firstMatch: list }), PAIR);
    expect(frozen['svc:options']).toEqual({ team: 'blue' });
  });

  test('(spec 5.7) attachSessionCredentials false leaves them as they are', () => {
    expect(withCredentials(phone, PAIR, { attachSessionCredentials: false })).toBe(phone);
  });
});

describe('withCredentials on the W3C form', () => {
  const own = (name: string) => ({ 'svc:options': { team: name } });
  const filled = (name?: string) => ({ 'svc:options': name ? { team: name, ...PAIR } : PAIR });

  test.for([
    ['nothing there', { alwaysMatch: phone, firstMatch: [{}] }, { ...phone, ...filled() }, [{}]],
    ['in alwaysMatch', { alwaysMatch: own('a'), firstMatch: [phone] }, filled('a'), [phone]],
    ['in one entry', { alwaysMatch: phone, firstMatch: [own('b'), {}] }, phone, [filled('b'), filled()]],
    ['no alwaysMatch', { firstMatch: [own('b')] }, undefined, [filled('b')]],
    ['no firstMatch', { alwaysMatch: phone }, { ...phone, ...filled() }, undefined],
    ['in both', { alwaysMatch: own('a'), firstMatch: [own('b'), {}] }, filled('a'), [filled('b'), {}]],
  ] as const)('(contract 6.1) namespace %s: no key stands twice that did not', ([, given, always, first]) => {
    const got: Record<string, unknown> = withCredentials<Record<string, unknown>>(given, PAIR);
    expect(got.alwaysMatch).toEqual(always);
    expect(got.firstMatch).toEqual(first);
  });

  test('(spec 5.4.1) WebdriverIO: named and listed capabilities, the W3C form inside them', () => {
    const named = {
      one: { port: 1, capabilities: phone },
      two: { capabilities: { alwaysMatch: phone, firstMatch: [{}] } },
    };
    expect(withCredentials([named, phone], PAIR)).toEqual([
      {
        one: { port: 1, capabilities: { ...phone, 'svc:options': PAIR } },
        two: { capabilities: { alwaysMatch: { ...phone, 'svc:options': PAIR }, firstMatch: [{}] } },
      },
      { ...phone, 'svc:options': PAIR },
    ]);
  });

  test('(spec 5.4.1) empty capabilities are plain ones', () => {
    expect(withCredentials({}, PAIR)).toEqual({ 'svc:options': PAIR });
  });
});
