import { inspect } from 'node:util';
import { logger } from 'appium/support.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installLogFilters } from '../src/appium-log.ts';

const NAMES = ['token', 'sessionToken', 'leaseToken', 'password', 'oldPassword', 'newPassword', 'apiKey'];
/** Parts of the secret, none of which may be logged. */
const VALUES = [
  'HUSH1HUSH2',
  'HUSH1"HUSH2',
  "HUSH1'HUSH2",
  'HUSH1"\'HUSH2`HUSH3',
  'HUSH1\\HUSH2',
  'HUSH1\\"HUSH2\\',
  'HUSH1\nHUSH2 é{}',
];
const FORMS: [string, (value: object) => string][] = [
  ['JSON', (value) => JSON.stringify(value)],
  ['pretty-printed JSON', (value) => JSON.stringify(value, null, 2)],
  ['JSON in a JSON string', (value) => JSON.stringify({ script: JSON.stringify(value) })],
  ['coloured JSON', (value) => `\u001b[90m${JSON.stringify(value)}\u001b[39m`],
  ['util.inspect', (value) => inspect(value, { depth: 9 })],
  ['coloured util.inspect', (value) => inspect(value, { depth: 9, colors: true })],
];

interface AppiumLogger {
  level: string;
  on(event: 'log', report: (message: { message: string }) => void): void;
  off(event: 'log', report: (message: { message: string }) => void): void;
  loadSecureValuesPreprocessingRules(rules: unknown[]): Promise<unknown>;
}

describe('the log-filter rules alone, on a body that came past the gate (spec 5.5.4)', () => {
  const log = logger.getLogger('test');
  const appium = log.unwrap() as unknown as AppiumLogger;
  const lines: string[] = [];
  const collect = ({ message }: { message: string }) => lines.push(message);

  beforeAll(async () => {
    appium.level = 'silent';
    appium.on('log', collect);
    await installLogFilters([{ pattern: 'of the operator', replacer: '**OWN**' }]);
  });
  afterAll(async () => {
    appium.off('log', collect);
    await appium.loadSecureValuesPreprocessingRules([]);
  });

  const logged = (text: string): string => {
    lines.length = 0;
    log.info(text);
    return lines.join('\n');
  };

  describe.each(FORMS)('%s', (_form, write) => {
    it.each(NAMES)('%s, cut anywhere', (name) => {
      for (const value of VALUES) {
        for (const key of [name, `svc:${name}`]) {
          const text = write({ 'svc:options': { accessKey: 'svc_x', [key]: value, team: 'QA' }, next: [1] });
          for (let cut = 1; cut <= text.length; cut++) {
            const shown = logged(cut === text.length ? text : `${text.slice(0, cut)}…`);
            if (/HU/.test(shown)) expect.unreachable(`${shown} of ${text}`);
          }
          expect(logged(text)).toContain('**REDACTED**');
        }
      }
    });
  });

  it('the text around a secret is kept, and so is text that only resembles one (spec 5.5.4)', () => {
    expect(logged('{"a":1,"token":"x","b":"y"} and {"password" : "z"}')).toBe(
      '{"a":1,"token":"**REDACTED**","b":"y"} and {"password" : "**REDACTED**"}',
    );
    const harmless =
      '{"tokens":3,"passwordPolicy":"strict","text":"the token is gone"} Unexpected token < in it';
    expect(logged(harmless)).toBe(harmless);
  });

  it('a ticket in an address, written plainly or within another address (specification 5.8.2)', () => {
    const ticket = 'eyJhbGciOiJFUzI1NiJ9.eyJqdGkiOiJ4In0.c2ln-_x';
    const address = `http://127.0.0.1:4723/svc/api/apps/1/download?ticket=${ticket}`;
    for (const text of [
      address,
      `'${address}'`,
      JSON.stringify({ app: address }),
      encodeURIComponent(address),
    ])
      expect(logged(`Using ${text} now`)).toBe(`Using ${text.replace(ticket, '**REDACTED**')} now`);
  });

  it('a token of svc is masked wherever a client has put it, and an access key is not (contract 4, 15.4)', () => {
    for (const prefix of ['svct_', 'svcl_', 'svca_']) {
      const token = `${prefix}${'a'.repeat(49)}`;
      for (const [text, masked] of [
        [`--> GET /status?x=${token} `, `--> GET /status?x=${prefix}**REDACTED** `],
        [`{"url":"http://svc_Ab1:${token}@lab/"}`, `{"url":"http://svc_Ab1:${prefix}**REDACTED**@lab/"}`],
      ])
        expect(logged(text as string)).toBe(masked);
    }
  });

  it('a signed token is masked wherever a client has put it, also when it is cut (contract 4)', () => {
    const header = Buffer.from('{"alg":"ES256","typ":"at+jwt","kid":"k"}').toString('base64url');
    const token = `${header}.${Buffer.from('{"sub":"x"}').toString('base64url')}.${'c2ln'.repeat(20)}`;
    for (const text of [
      `--> GET /session/1/url?access_token=${token} {}`,
      `--> POST /${token}/session {}`,
      `http://svc:${token}@lab:4723/`,
      JSON.stringify({ value: `Bearer ${token}` }),
    ])
      expect(logged(text)).toBe(text.replace(token, `${header}.**REDACTED**`));
    for (let cut = header.length + 2; cut < token.length; cut++)
      expect(logged(`GET /${token.slice(0, cut)}…`)).toBe(`GET /${header}.**REDACTED**…`);
  });

  it.each(['eyJeyJhbGciOiJFUzI1NiJ9', 'eyJhbGciOiJFeyJhUzI1NiIsImtpZCI6ImsifQ', 'eyJhbGciOiJFUzI1NeyJ9'])(
    'a signed token is masked if its header is %s, which contains another beginning of one (contract 4)',
    (header) => {
      expect(logged(`GET /${header}.eyJzdWIi.c2ln`)).toBe(`GET /${header}.**REDACTED**`);
    },
  );

  it('the operator’s own rules stay in force', () => {
    expect(logged('a word of the operator, "apiKey":"x"')).toBe('a word **OWN**, "apiKey":"**REDACTED**"');
  });

  it('a rule Appium does not take stops the start', async () => {
    await expect(installLogFilters([{ pattern: '(' }])).rejects.toThrow(
      'log filters could not be installed: 1',
    );
  });
});
