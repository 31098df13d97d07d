import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { REDACTED } from '../src/capabilities/redacted.ts';
import { readCredentials, stripCredentials } from '../src/capabilities/take-credentials.ts';

const pair = { accessKey: 'svc_key', token: 'svct_secret' };

describe('which credentials count (contract 6.1, spec 2 svc:options)', () => {
  const rows: [string, unknown, unknown][] = [
    ['alwaysMatch', { alwaysMatch: { 'svc:options': pair } }, { pair, sessionToken: null }],
    ['the alias', { alwaysMatch: { 'lab:options': pair } }, { pair, sessionToken: null }],
    [
      'field by field, svc:options first',
      { alwaysMatch: { 'svc:options': { token: 'a' }, 'lab:options': { accessKey: 'k', token: 'b' } } },
      { pair: { accessKey: 'k', token: 'a' }, sessionToken: null },
    ],
    [
      'null and non-text are not set',
      { alwaysMatch: { 'svc:options': { accessKey: null, token: 7 }, 'lab:options': pair } },
      { pair, sessionToken: null },
    ],
    [
      'half a pair is none',
      { alwaysMatch: { 'svc:options': { token: 'a' } } },
      { pair: null, sessionToken: null },
    ],
    [
      'the first entry that carries some',
      {
        alwaysMatch: {},
        firstMatch: [
          { 'svc:options': { team: 'x' } },
          { 'svc:options': { sessionToken: 's' } },
          { 'svc:options': pair },
        ],
      },
      { pair: null, sessionToken: 's' },
    ],
    [
      'an entry is merged over alwaysMatch',
      { alwaysMatch: { 'lab:options': { accessKey: 'k' } }, firstMatch: [{ 'svc:options': { token: 't' } }] },
      { pair: { accessKey: 'k', token: 't' }, sessionToken: null },
    ],
    ['df:options is not read', { alwaysMatch: { 'df:options': pair } }, { pair: null, sessionToken: null }],
    [
      'legacy capabilities are not read',
      { desiredCapabilities: { 'svc:options': pair } },
      { pair: null, sessionToken: null },
    ],
    [
      'an empty firstMatch',
      { alwaysMatch: { 'svc:options': pair }, firstMatch: [] },
      { pair, sessionToken: null },
    ],
  ];
  it.each(rows)('%s', (_name, capabilities, expected) => {
    expect(readCredentials(capabilities).credentials).toEqual(expected);
  });

  it.each([undefined, null, 1, 'x', [], {}, { alwaysMatch: null, firstMatch: 'x' }])(
    'nothing in %j',
    (value) => {
      expect(readCredentials(value).credentials).toEqual({ pair: null, sessionToken: null });
    },
  );

  it('an inherited field is not a field', () => {
    const capabilities = JSON.parse(
      '{"alwaysMatch":{"svc:options":{"__proto__":{"accessKey":"a","token":"b"}}}}',
    );
    expect(readCredentials(capabilities).credentials.pair).toBeNull();
  });
});

describe('options of a session (spec 2 svc:options)', () => {
  const tiersOf = (healingTiers: unknown) =>
    readCredentials({ alwaysMatch: { 'svc:options': { healingTiers } } }).input.healingTiers;
  it.each([
    [undefined, null],
    [null, null],
    [[], []],
    [
      [1, 5],
      [1, 5],
    ],
    [[0], 'unusable'],
    [[1.5], 'unusable'],
    ['1,2', 'unusable'],
    [true, 'unusable'],
  ])('healingTiers %j is %j', (asked, expected) => {
    expect(tiersOf(asked)).toEqual(expected);
  });
  it.each([
    [{ record: 'all', saveDeviceLogs: false, queueSeconds: 600, keep: true }, null],
    [{ record: 'some' }, 'svc:options.record must be one of'],
    [{ saveDeviceLogs: 'no' }, 'svc:options.saveDeviceLogs must be true or false'],
    [{ queueSeconds: 1.5 }, 'svc:options.queueSeconds must be a whole number from 0 to 600'],
    [{ queueSeconds: 601, keep: 1 }, 'svc:options.queueSeconds must be a whole number from 0 to 600'],
    [{ keep: 1 }, 'svc:options.keep: must be true or false'],
  ])('the options %j are refused with %j', (options, message) => {
    const { unusable } = readCredentials({ alwaysMatch: { 'svc:options': options } }).input;
    expect(unusable).toEqual(message === null ? null : expect.stringContaining(message));
  });
  it('the team selector', () => {
    expect(readCredentials({ alwaysMatch: { 'lab:options': { team: 'QA' } } }).input.team).toBe('QA');
  });
});

const SECRET = 'canary-secret';
const json = fc.jsonValue({ maxDepth: 1 });
const secretName = fc.constantFrom('accessKey', 'token', 'sessionToken', 'leaseToken');
const namespace = fc.constantFrom('svc:options', 'lab:options', 'appium:svc:options');
const fields = fc.dictionary(fc.constantFrom('team', 'healingTiers', 'leaseId', 'x'), json);
const secrets = fc.dictionary(secretName, fc.constant(SECRET), { minKeys: 1 });
const options = fc.tuple(fields, secrets).map(([plain, secret]) => ({ ...plain, ...secret }));
const capabilities = fc
  .tuple(fc.dictionary(fc.string(), json), fc.dictionary(namespace, options))
  .map(([plain, namespaces]) => ({ ...plain, ...namespaces }));
const body = fc.record({
  capabilities: fc.record({
    alwaysMatch: capabilities,
    firstMatch: fc.array(capabilities, { maxLength: 3 }),
  }),
  desiredCapabilities: capabilities,
  requiredCapabilities: fc.array(capabilities, { maxLength: 3 }),
});

/** @returns whether the value is the secret, or an object that contains nothing else */
const isOnlySecrets = (value: unknown): boolean =>
  value === SECRET ||
  (typeof value === 'object' &&
    value !== null &&
    Object.keys(value).length > 0 &&
    Object.values(value).every((each) => each === SECRET));

describe('stripping (contract 6.2, spec 5.4.6)', () => {
  it('the removal of credentials leaves no secret anywhere, and everything else as it was (contract 6.2, spec 5.4.6)', () => {
    fc.assert(
      fc.property(body, (sent) => {
        const expected = JSON.parse(
          JSON.stringify(sent, (_name, value) => (isOnlySecrets(value) ? undefined : value)),
        );
        stripCredentials(sent);
        expect(JSON.stringify(sent)).not.toContain(SECRET);
        expect(JSON.parse(JSON.stringify(sent))).toEqual(expected);
      }),
    );
  });

  it.each<[string, object, object]>([
    ['nothing but credentials is left out', { ...pair, sessionToken: null, leaseToken: 'x' }, {}],
    ['something else keeps it', { ...pair, team: 'QA' }, { team: 'QA' }],
    ['the id of a lease is no credential', { leaseId: 'i', leaseToken: 'x' }, { leaseId: 'i' }],
  ])(
    'the credentials in a namespace of capabilities are removed: %s (contract 6.2, spec 5.4.6)',
    (_name, options, kept) => {
      const left = Object.keys(kept).length === 0 ? {} : { 'svc:options': kept, 'lab:options': kept };
      const capabilities = (): object => ({ 'svc:options': { ...options }, 'lab:options': { ...options } });
      const sent = {
        capabilities: { alwaysMatch: capabilities(), firstMatch: [{ x: 1 }, capabilities()] },
        desiredCapabilities: capabilities(),
        requiredCapabilities: capabilities(),
      };
      stripCredentials(sent);
      expect(sent).toEqual({
        capabilities: { alwaysMatch: left, firstMatch: [{ x: 1 }, left] },
        desiredCapabilities: left,
        requiredCapabilities: left,
      });
    },
  );

  it.each([{}, null, [], 7])('a namespace that was sent as %j stays', (options) => {
    const sent = { capabilities: { alwaysMatch: { 'svc:options': options, 'lab:options': options } } };
    stripCredentials(sent);
    expect(sent).toEqual({
      capabilities: { alwaysMatch: { 'svc:options': options, 'lab:options': options } },
    });
  });

  it.each(['df:options', 'svc:df:options', 'appium:df:options'])('secrets in %s are masked', (name) => {
    const sent = { alwaysMatch: { [name]: { accesskey: SECRET, token: SECRET, build: 'b' } } };
    stripCredentials(sent);
    expect(sent).toEqual({ alwaysMatch: { [name]: { accesskey: REDACTED, token: REDACTED, build: 'b' } } });
  });

  it.each(['svc:token', 'appium:svc:sessionToken', 'df:accesskey'])('a loose %s is masked', (name) => {
    const sent = { alwaysMatch: { [name]: SECRET } };
    stripCredentials(sent);
    expect(sent).toEqual({ alwaysMatch: { [name]: REDACTED } });
  });

  it.each([
    ['text instead of an object', { 'svc:options': `{"token":"${SECRET}"}` }],
    ['a list', { 'svc:options': [{ token: SECRET }] }],
    ['wrong letter case', { 'svc:options': { Token: SECRET } }],
    ['inside appium:options', { 'appium:options': { 'svc:options': { token: SECRET } } }],
    ['an own __proto__', JSON.parse(`{"__proto__":{"svc:options":{"token":"${SECRET}"}}}`)],
  ])('%s', (_name, alwaysMatch) => {
    const sent = { capabilities: { alwaysMatch } };
    stripCredentials(sent);
    expect(JSON.stringify(sent)).not.toContain(SECRET);
  });

  it('a key pair is removed from an address in any capability (contract 15.1)', () => {
    const kept = { url: 'http://user:pass@lab/a@b', text: 'https://lab/?svc_a:b@c', other: 'svc_a:b@c' };
    const sent = {
      'se:remoteUrl': 'http://svc_a:svct_b@lab:4723/wd?x=1',
      ...kept,
      list: ['x //svc_a:svct_b@lab and wss://svc_a@lab/p', 7],
    };
    stripCredentials({ capabilities: { alwaysMatch: sent } });
    expect(sent).toEqual({
      'se:remoteUrl': 'http://lab:4723/wd?x=1',
      ...kept,
      list: ['x //lab and wss://lab/p', 7],
    });
  });

  it('the removal of credentials works at any depth and width (contract 6.2, spec 5.4.6)', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(50_000)}{"svc:options":{"token":"x"}}${'}'.repeat(50_000)}`);
    stripCredentials(deep);
    const wide = { list: Array.from({ length: 300_000 }, () => ({ 'svc:options': { token: SECRET } })) };
    stripCredentials(wide);
    expect(wide.list.every((each) => Object.keys(each).length === 0)).toBe(true);
  });
});
