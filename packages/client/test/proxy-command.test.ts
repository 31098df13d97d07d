import { describe, expect, test } from 'vitest';
import { type ProxyIo, runProxy } from '../src/proxy.ts';
import { type LabDouble, startLabDouble } from './lab-double.ts';

const SECRETS = { SVC_ACCESS_KEY: 'svc_keysecret', SVC_TOKEN: 'svct_tokensecret' };

function io(files: Record<string, string> = {}) {
  const stop = new AbortController();
  let out = '';
  let err = '';
  let announce = (_url: string) => {};
  const ready = new Promise<string>((announced) => {
    announce = announced;
  });
  const given: ProxyIo = {
    out: (text) => {
      out += text;
      const url = /ready on (\S+)/.exec(text)?.[1];
      if (url !== undefined) announce(url);
    },
    err: (text) => {
      err += text;
    },
    readFile: (path) => {
      const text = files[path];
      if (text === undefined) throw new Error(`no ${path}`);
      return text;
    },
    stop: stop.signal,
  };
  return { given, ready, stop: () => stop.abort(), out: () => out, err: () => err };
}

async function withLab(use: (lab: LabDouble) => Promise<void>): Promise<void> {
  const lab = await startLabDouble();
  lab.answer = (request, response) => {
    const known = request.headers['x-svc-token'] === SECRETS.SVC_TOKEN;
    if (request.url === '/svc/api/auth/me' && !known) response.statusCode = 401;
    const bearer = { token: 'b1', expiresIn: 3600, audience: 'svc-rest', scopes: [] };
    response.end(JSON.stringify(response.statusCode === 401 ? { error: 'invalid credentials' } : bearer));
  };
  await use(lab).finally(() => lab.close());
}

describe('svc proxy', () => {
  test('svc proxy runs until told to stop, with the pair of the environment, and prints no secret (spec 5.1)', () =>
    withLab(async (lab) => {
      const process = io();
      const ended = runProxy(['--to', lab.url, '--port', '0'], SECRETS, process.given);
      const url = await process.ready;
      expect((await fetch(`${url}/status`)).status).toBe(200);
      expect(lab.seen.at(-1)?.headers['x-svc-token']).toBe(SECRETS.SVC_TOKEN);
      process.stop();
      expect(await ended).toBe(0);
      await expect(fetch(`${url}/status`)).rejects.toThrow();
      expect(process.out()).toBe(`svc proxy ready on ${url} for ${lab.url}\n`);
      expect(process.out() + process.err()).not.toContain('secret');
    }));

  test('--bearer sends bearer tokens in place of the pair (spec 5.3)', () =>
    withLab(async (lab) => {
      const process = io();
      const args = ['--port', '0', '--bearer', 'svc-rest'];
      const ended = runProxy(args, { ...SECRETS, SVC_URL: lab.url }, process.given);
      await fetch(`${await process.ready}/status`);
      expect(lab.seen.at(-1)?.headers).toMatchObject({ authorization: 'Bearer b1' });
      expect(lab.seen.at(-1)?.headers).not.toHaveProperty('x-svc-token');
      process.stop();
      expect(await ended).toBe(0);
    }));

  test.for([
    { args: [], carried: true },
    { args: ['--bearer', 'svc-rest'], carried: true },
    { args: ['--no-create-credentials'], carried: false },
  ])('$args: creates carry the pair: $carried; neither output names it (spec 5.4.1)', ({ args, carried }) =>
    withLab(async (lab) => {
      const process = io();
      const ended = runProxy(['--to', lab.url, '--port', '0', ...args], SECRETS, process.given);
      await fetch(`${await process.ready}/session`, { method: 'POST', body: '{"capabilities":{}}' });
      expect(lab.bodies.at(-1)?.includes(SECRETS.SVC_TOKEN)).toBe(carried);
      expect(lab.bodies.at(-1)?.includes(SECRETS.SVC_ACCESS_KEY)).toBe(carried);
      process.stop();
      expect(await ended).toBe(0);
      expect(process.out() + process.err()).not.toContain('secret');
    }),
  );

  test('svc proxy reads secrets from files (contract 5)', () =>
    withLab(async (lab) => {
      const process = io({ '/k': 'svc_keysecret\n', '/t': 'svct_tokensecret\n' });
      const env = { SVC_URL: lab.url, SVC_ACCESS_KEY_FILE: '/k', SVC_TOKEN_FILE: '/t' };
      const ended = runProxy(['--port', '0'], env, process.given);
      await process.ready;
      expect(lab.seen[0]?.headers['x-svc-access-key']).toBe('svc_keysecret');
      process.stop();
      expect(await ended).toBe(0);
    }));

  test('svc proxy says at the start that credentials are refused (spec 5.1.3)', () =>
    withLab(async (lab) => {
      const process = io();
      const env = { ...SECRETS, SVC_TOKEN: 'svct_wrong' };
      expect(await runProxy(['--to', lab.url, '--port', '0'], env, process.given)).toBe(1);
      expect(process.err()).toMatch(/refuses these credentials \(401 invalid credentials\)/);
      expect(process.out()).toBe('');
    }));

  test('svc proxy starts ahead of a service that is still away (spec 5.7.5)', async () => {
    const lab = await startLabDouble();
    await lab.close();
    const process = io();
    const ended = runProxy(['--to', lab.url, '--port', '0'], SECRETS, process.given);
    await process.ready;
    expect(process.err()).toMatch(/does not respond \(unreachable\)/);
    process.stop();
    expect(await ended).toBe(0);
  });

  test('a port that is taken is told (contract 9)', () =>
    withLab(async (lab) => {
      const process = io();
      const { port } = new URL(lab.url);
      expect(await runProxy(['--to', lab.url, '--port', port], SECRETS, process.given)).toBe(1);
      expect(process.err()).toMatch(/cannot listen on 127\.0\.0\.1 port \d+ \(EADDRINUSE\)/);
    }));

  test.for([
    [['--host', '0.0.0.0'], /--host must be 127\.0\.0\.1 or ::1/],
    [['--port', '70000'], /--port must be/],
    [['--to', 'lab'], /scheme, host and port/],
    [['--bearer', 'x'], /--bearer must be/],
    [
      ['--token', 'svct_tokensecret'],
      /^svc proxy: --token: credentials are never taken from the command line/,
    ],
    [['--access-key=svc_keysecret'], /^svc proxy: --access-key: credentials are never/],
    [['svct_tokensecret'], /unknown/],
    [['--to'], /lacks its value/],
  ] as const)('%j is refused, and never repeated (spec 5.1)', async ([args, message]) => {
    const process = io();
    expect(await runProxy(args, { ...SECRETS, SVC_URL: 'http://lab' }, process.given)).toBe(2);
    expect(process.err()).toMatch(message);
    expect(process.err() + process.out()).not.toContain('secret');
  });

  test.for([
    [{ SVC_ACCESS_KEY: 'k' }, /Set SVC_TOKEN, or SVC_TOKEN_FILE/],
    [{ SVC_TOKEN: 't' }, /Set SVC_ACCESS_KEY/],
    [{ SVC_ACCESS_KEY: 'k', SVC_TOKEN_FILE: '/none' }, /SVC_TOKEN_FILE names cannot be read/],
    [{ SVC_ACCESS_KEY: 'k', SVC_TOKEN_FILE: '/empty' }, /SVC_TOKEN_FILE names is empty/],
  ] as const)('half a pair is no pair: %j (contract 1)', async ([env, message]) => {
    const process = io({ '/empty': '\n' });
    expect(await runProxy(['--to', 'http://lab'], env, process.given)).toBe(2);
    expect(process.err()).toMatch(message);
  });

  test('--help explains and starts nothing (contract 9)', async () => {
    const process = io();
    expect(await runProxy(['--help'], {}, process.given)).toBe(0);
    expect(process.out()).toMatch(/^Usage: svc proxy/);
  });

  test('an address in clear across a network is warned about (contract 4)', async () => {
    const process = io();
    process.stop();
    await runProxy(['--to', 'http://lab.invalid:1', '--port', '0'], SECRETS, process.given);
    expect(process.err()).toMatch(/http:\/\/lab\.invalid:1 is not HTTPS/);
  });
});
