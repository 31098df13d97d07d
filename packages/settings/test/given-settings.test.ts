import fc from 'fast-check';
import { expect, it } from 'vitest';
import { givenSetting } from '../src/environment/given-settings.ts';
import { read } from './read.ts';

const given = (env: Record<string, string>) => read(env).config.given;

it('a setting that is set is listed with its value, and a secret without it (contract 5)', () => {
  const env = { SVC_MAX_SESSIONS: '8', SVC_METRICS_TOKEN: 'canary-canary-canary', SVC_JWT_ISSUER: '' };
  expect(given(env)).toEqual([
    { name: 'SVC_METRICS_TOKEN', from: 'environment', value: null, isUsable: true },
    { name: 'SVC_MAX_SESSIONS', from: 'environment', value: '8', isUsable: true },
  ]);
});

it('an unusable value is not shown, because it may be a secret of another setting (contract 5)', () => {
  const [setting] = given({ SVC_MAX_SESSIONS: 'hunter2' });
  expect(setting).toEqual({ name: 'SVC_MAX_SESSIONS', from: 'environment', value: null, isUsable: false });
  expect(given({ SVC_METRICS_TOKEN: 'short' })[0]).toMatchObject({ value: null, isUsable: false });
});

it.each([
  ['https://user:canary@host.test:8443/canary?canary#canary', 'https://…@host.test:8443/…'],
  ['https://canary@host.test', 'https://…@host.test'],
  ['https://a@canary@host.test/', 'https://…@host.test/'],
  ['https://host.test/hooks/canary', 'https://host.test/…'],
  ['https://host.test?canary', 'https://host.test/…'],
  ['http://one.test/,http://two.test/canary', 'http://one.test/,http://two.test/…'],
  ['[{"url":"http://u:canary@h.test/x"}]', '[{"url":"http://…@h.test/…"}]'],
  ['svct_canary', null],
  ['x svca_canary', null],
  ['canary'.repeat(40), null],
  ['10.0.0.0/8', '10.0.0.0/8'],
])('a list shows %s as %s and no more of it (contract 5)', (text, expected) => {
  expect(givenSetting('SVC_X', 'environment', text, true).value).toBe(expected);
});

it('no part of an address but its host is ever shown (contract 5)', () => {
  const part = fc.stringMatching(/^[A-Za-z0-9%._~-]{1,12}$/).map((text) => `canary${text}`);
  fc.assert(
    fc.property(part, part, part, part, (user, password, path, query) => {
      const address = `https://${user}:${password}@host.test/${path}/${path}?${query}#${path}`;
      expect(givenSetting('SVC_X', 'option', address, true).value).toBe('https://…@host.test/…');
    }),
  );
});
