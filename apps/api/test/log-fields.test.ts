import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { logFields, logMessage } from '../src/logging/log-fields.ts';

const TOKEN = `svct_${'a'.repeat(49)}`;
const LEASE = `svcl_${'b'.repeat(49)}`;
const ATTACH = `svca_${'d'.repeat(49)}`;
const BASIC = `Basic ${Buffer.from(`svc_${'e'.repeat(24)}:${TOKEN}`).toString('base64')}`;
const SIGNED = `eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.${'c'.repeat(86)}`;

describe('what may stand in a log', () => {
  it('masks secrets by their form, wherever they stand', () => {
    const secrets = [
      TOKEN,
      LEASE,
      ATTACH,
      `%2Fattach%2F${ATTACH}`,
      BASIC,
      SIGNED,
      `Bearer ${'x'.repeat(30)}`,
      `ticket=${SIGNED}`,
      `back=%2F${SIGNED}`,
    ];
    for (const secret of secrets) {
      const last = secret.slice(-20);
      expect(logMessage(`cannot reach "${secret}", trying again`)).not.toContain(last);
      expect(JSON.stringify(logFields({ cause: `at ${secret}.` }))).not.toContain(last);
      expect(JSON.stringify(logFields({ [secret]: 1 }))).not.toContain(last);
      expect(JSON.stringify(logFields({ error: new Error(secret, { cause: secret }) }))).not.toContain(last);
    }
    expect(logMessage('smtp://robot:hunter2@mail:25 refused')).toBe('smtp://**REDACTED**@mail:25 refused');
  });

  it.each(['eyJeyJhbGciOiJFUzI1NiJ9', 'eyJhbGciOieyJFUzI1NiJ9', 'eyJhbGciOiJFUzI1NeyJ9'])(
    'a signed token is masked if its header is %s, which contains another beginning of one (contract 4)',
    (header) => expect(logMessage(`at ${header}.claims.c2ln`)).not.toContain('claims'),
  );

  it('masks fields by their name, and keeps null and what is no secret', () => {
    const given = { password: 'p', newPassword: 'p', token: ['p'], 'x-svc-token': 'p', cookie: null };
    expect(logFields({ ...given, headers: { authorization: 'p' }, accessKey: 'svc_public' })).toEqual({
      password: '**REDACTED**',
      newPassword: '**REDACTED**',
      token: '**REDACTED**',
      'x-svc-token': '**REDACTED**',
      cookie: null,
      headers: { authorization: '**REDACTED**' },
      accessKey: 'svc_public',
    });
  });

  it('the mask of log lines leaves the exact lines as they are (contract 7, specification 5.4.4, 5.7.9, 5.10.6, 5.12)', () => {
    for (const line of [
      'Authentication is DISABLED: everybody who reaches this server is a Super admin',
      'Per-command auth is ON',
      'Session created without valid credentials',
      'Command refused: GET /session/x/url (session x, caller invalid credentials): bearer token: unknown key',
      `Password reset link for a@b.c: http://lab/svc/reset-password#${'r'.repeat(43)}`,
    ])
      expect(logMessage(line)).toBe(line);
  });

  it('a masked text is one bounded line of plain characters, whatever a sender puts into it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        const line = `${logMessage(text)} ${JSON.stringify(logFields({ text, [text]: [text] }))}`;
        // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these must not be there.
        expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/);
      }),
      { numRuns: 300 },
    );
    for (const mark of ['\u202e', '\u2066', '\u200f', '\u061c', '\u009b']) {
      const escaped = `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`;
      expect(logMessage(`a${mark}b`)).toBe(`a${escaped}b`);
      expect(logFields({ [mark]: mark })).toEqual({ [escaped]: escaped });
    }
    const long = 'x'.repeat(100_000);
    expect(logMessage(long).length).toBeLessThan(8_300);
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`f${at}`, long]));
    expect(JSON.stringify(logFields({ many })).length).toBeLessThan(50 * 4_300);
  });

  it('a masked value ends at a depth, so that a circle is no endless line', () => {
    const circle: Record<string, unknown> = { at: 1n, when: new Date(0), call: () => 1 };
    circle.self = circle;
    expect(JSON.stringify(logFields(circle))).toContain('"..."');
  });
});
