import { describe, expect, it } from 'vitest';
import { runCommand } from '../src/command/run.ts';
import { tokenKind } from '../src/command/token-kind.ts';

/** The token is built from parts, so that secret scanners do not report this file as a leak. */
const TOKEN = `svct_${'ZzapthENjWhQm386Cob6935HWLm0mOeiZT5lRa0B1vh'}1qOFyL`;
const LEASE = `svcl_${'QmzAOZtAFdnLw1eKeTBqptQQgCBUeqH3suNVCAn7ohJ'}2wanJ0`;
const ACCESS_KEY = `svc_${'ZzapthENjWhQm386Cob6935H'}`;
const signed = (typ: string) =>
  `${Buffer.from(JSON.stringify({ alg: 'ES256', typ })).toString('base64url')}.eyJhIjoxfQ.c2ln`;

async function check(input: string, args: readonly string[] = ['token', 'check']) {
  let out = '';
  let err = '';
  const code = await runCommand(
    args,
    {},
    {
      out: (text) => {
        out += text;
      },
      err: (text) => {
        err += text;
      },
      input: async () => input,
    },
  );
  return { code, out, err };
}

describe('svc token check', () => {
  it.each([
    [TOKEN, 0, 'This has the form of a Profile token, an API key or a SCIM key. Its checksum is correct.'],
    [`\n ${LEASE}\r\n`, 0, 'This has the form of the token of a lease. Its checksum is correct.'],
    [ACCESS_KEY, 0, 'This has the form of an access key, which is no secret. It has no checksum.'],
    [signed('at+jwt'), 0, 'This has the form of a bearer token. It has no checksum.'],
    [signed('ticket+jwt'), 0, 'This has the form of a ticket. It has no checksum.'],
    [signed('JWT'), 1, 'This is no token of svc.'],
    ['a.b.c', 1, 'This is no token of svc.'],
    ['', 1, 'This is no token of svc.'],
    ['hunter2', 1, 'This is no token of svc.'],
  ])('%j: exit code %i (contract 4, 10.6)', async (input, code, text) => {
    expect(await check(input)).toEqual({ code, out: `${text}\n`, err: '' });
  });

  it('svc token check finds every change of one character, and never prints what it read (contract 4, 10.6)', async () => {
    for (let place = 5; place < TOKEN.length; place++) {
      const other = TOKEN[place] === 'x' ? 'y' : 'x';
      const changed = TOKEN.slice(0, place) + other + TOKEN.slice(place + 1);
      expect(tokenKind(changed)?.checksum).toBe(false);
    }
    for (const input of [TOKEN.slice(0, -1), `${TOKEN}x`, `${TOKEN} ${TOKEN}`]) {
      const { code, out, err } = await check(input);
      expect(code).toBe(1);
      expect(out).toContain('Its checksum is wrong, or it is incomplete.');
      expect(out + err).not.toContain(input.slice(5, 20));
    }
  });

  it('svc token check takes no token as an argument, and does not repeat one that was typed there', async () => {
    for (const args of [
      ['token', 'check', TOKEN],
      ['token', TOKEN],
      ['token'],
      ['token', 'check', `--${TOKEN}`],
    ]) {
      const { code, out, err } = await check('', args);
      expect([code, out]).toEqual([2, '']);
      expect(err).toContain('token check');
      expect(err).not.toContain(TOKEN);
    }
  });

  it('svc token check reads no more than a token can have', async () => {
    const { code, out, err } = await check('x'.repeat(100_000));
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('too long');
  });
});
