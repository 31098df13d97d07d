import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../src/command/run.ts';
import { type LabDouble, startLabDouble } from './lab-double.ts';

const GRANTED = {
  access_token: 'eyJ',
  token_type: 'Bearer',
  expires_in: 3600,
  access_key: 'svc_new',
  token: 'svct_newsecret',
  token_expires_at: '2030-01-31T12:00:00.000Z',
};

let lab: LabDouble;
let home: string;
let pauses: number[];
/** Responses of the server to the polls, in order. For the status 0, the server closes the connection instead. */
let polls: [status: number, body: object][];
let revocation: [status: number, body: object];
/** Response of the server to the request for the codes, or undefined for the codes. */
let start: [status: number, body: object] | undefined;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'svc-home-'));
  pauses = [];
  polls = [[200, GRANTED]];
  revocation = [200, {}];
  start = undefined;
  lab = await startLabDouble();
  lab.answer = (request, response) => {
    const [status, body] = answerTo(request);
    if (status === 0) request.socket.destroy();
    else send(response, status, body);
  };
});
afterEach(async () => {
  await lab.close();
  rmSync(home, { recursive: true });
});

function answerTo({ url, method }: IncomingMessage): [number, unknown] {
  if (url === '/svc/oauth/device_authorization') return start ?? [200, started()];
  if (url === '/svc/oauth/token') return polls.shift() ?? [400, { error: 'invalid_grant' }];
  if (url === '/svc/oauth/revoke') return revocation;
  if (url === '/svc/api/auth/me') {
    const me = {
      id: 'u',
      name: 'Mia\u001b[2J',
      email: 'mia@lab.test',
      role: 'Member',
      teams: [],
      scopes: ['read'],
    };
    return [200, { ...me, expiresAt: '2030-01-31T12:00:00.000Z' }];
  }
  if (url === '/svc/api/profile/tokens' && method === 'GET') {
    return [
      200,
      [
        { id: 't-1', expiresAt: null },
        { id: 't-2', expiresAt: GRANTED.token_expires_at },
      ],
    ];
  }
  return url === '/svc/api/profile/tokens/t-2' && method === 'DELETE'
    ? [204, '']
    : [404, { error: 'not_found' }];
}

const started = () => ({
  device_code: 'device-secret',
  user_code: 'WDJB-MJHT',
  verification_uri: `${lab.url}/svc/device`,
  verification_uri_complete: `${lab.url}/svc/device?user_code=WDJB-MJHT`,
  expires_in: 600,
  interval: 5,
});

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(status === 204 ? '' : JSON.stringify(body));
}

async function run(...args: string[]) {
  let [out, err] = ['', ''];
  const io = {
    out: (text: string) => {
      out += text;
    },
    err: (text: string) => {
      err += text;
    },
    pause: async (ms: number) => void pauses.push(ms / 1000),
  };
  return { code: await runCommand(args, { HOME: home }, io, 'svc'), out, err };
}

const file = () => join(home, '.config/svc/credentials.json');
const stored = () => JSON.parse(readFileSync(file(), 'utf8'));
const formOf = (index: number) => Object.fromEntries(new URLSearchParams(lab.bodies[index]));
const paths = () => lab.seen.map(({ method, url }) => `${method} ${url}`);

describe('svc login (contract 10.7)', () => {
  it('svc login prints the code and the page, waits for the approval and stores the credentials (contract 10.7)', async () => {
    polls = [
      [400, { error: 'authorization_pending' }],
      [400, { error: 'slow_down' }],
      [400, { error: 'authorization_pending' }],
      [200, GRANTED],
    ];
    const { code, out, err } = await run('login', `${lab.url}/`);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain(`${lab.url}/svc/device?user_code=WDJB-MJHT`);
    expect(out).toMatch(/code: {2}WDJB-MJHT\n/);
    expect(pauses).toEqual([5, 5, 10, 10]);
    expect(formOf(0)).toEqual({ client_id: 'svc-cli', client_name: hostname().slice(0, 100) });
    expect(formOf(1)).toEqual({
      client_id: 'svc-cli',
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: 'device-secret',
    });
    expect(stored()).toEqual({
      [lab.url]: {
        accessKey: 'svc_new',
        token: 'svct_newsecret',
        tokenExpiresAt: GRANTED.token_expires_at,
      },
    });
    expect(out).not.toContain('secret');
  });

  it('svc login takes the name of the token from --name (contract 10.7)', async () => {
    await run('login', lab.url, '--name', 'CI of Mia');
    expect(formOf(0).client_name).toBe('CI of Mia');
  });

  it('svc login asks for the scopes of --scopes, and says which there are if the lab knows one of them not (contract 10.7)', async () => {
    await run('login', lab.url, '--scopes', 'read, sessions');
    expect(formOf(0).scope).toBe('read sessions');
    expect(await run('login', lab.url, '--scopes', ' , ')).toMatchObject({ code: 2 });
    start = [400, { error: 'invalid_scope' }];
    expect(await run('login', lab.url, '--scopes', 'write')).toMatchObject({
      code: 1,
      err: expect.stringContaining('--scopes: use read, sessions, devices and admin, separated by commas'),
    });
  });

  it('svc login polls more slowly while the lab does not answer, and goes on when it does (contract 10.7)', async () => {
    polls = [
      [0, {}],
      [503, { error: 'temporarily_unavailable' }],
      [200, GRANTED],
    ];
    expect((await run('login', lab.url)).code).toBe(0);
    expect(pauses).toEqual([5, 10, 15]);
  });

  it.each([
    ['access_denied', /denied/],
    ['expired_token', /expired/],
    ['invalid_grant', /run the command again/],
  ])('svc login ends when the lab says %s, and stores nothing (contract 10.7)', async (error, says) => {
    polls = [[400, { error }]];
    const { code, err } = await run('login', lab.url);
    expect(code).toBe(1);
    expect(err).toMatch(says);
    expect(() => stored()).toThrow('ENOENT');
  });

  it('svc login ends when the code has expired, whatever the lab says (contract 10.7)', async () => {
    polls = Array.from({ length: 300 }, () => [503, {}]);
    expect((await run('login', lab.url)).err).toContain('expired');
    expect(pauses.reduce((sum, each) => sum + each, 0)).toBeGreaterThanOrEqual(600);
  });

  it('svc login revokes the token that it replaces (contract 10.7)', async () => {
    await run('login', lab.url);
    polls = [[200, { ...GRANTED, token: 'svct_newer' }]];
    await run('login', lab.url);
    expect(formOf(lab.bodies.length - 1)).toEqual({ token: 'svct_newsecret' });
    expect(stored()[lab.url].token).toBe('svct_newer');
  });

  it('svc login does not ask for a code while the file cannot be used (contract 10.7)', async () => {
    await run('login', lab.url);
    chmodSync(file(), 0o644);
    lab.seen.length = 0;
    expect(await run('login', lab.url)).toMatchObject({ code: 2, err: expect.stringContaining('chmod 600') });
    expect(lab.seen).toEqual([]);
  });

  it.each([[[]], [['a', 'b']], [['http://a', '--x']]])('used as %j shows how it is used', async (args) => {
    const { code, err } = await run('login', ...args);
    expect([code, err.split('\n', 1)]).toEqual([
      2,
      ['Usage: svc login <address> [--name <machine>] [--scopes <scopes>]'],
    ]);
  });
});

describe('svc logout (contract 10.7)', () => {
  it('svc logout revokes the token and removes it (contract 10.7)', async () => {
    await run('login', lab.url);
    expect(await run('logout')).toEqual({ code: 0, out: `Signed out of ${lab.url}\n`, err: '' });
    expect(formOf(lab.bodies.length - 1)).toEqual({ token: 'svct_newsecret' });
    expect(stored()).toEqual({});
  });

  it('svc logout revokes on the Profile page where there is no revocation endpoint (contract 10.7)', async () => {
    revocation = [404, { error: 'not_found' }];
    await run('login', lab.url);
    expect(await run('logout', lab.url)).toMatchObject({ code: 0, err: '' });
    expect(paths().at(-1)).toBe('DELETE /svc/api/profile/tokens/t-2');
  });

  it('svc logout removes the token also when the lab is gone, and says until when it works (contract 10.7)', async () => {
    await run('login', lab.url);
    await lab.close();
    const { code, err } = await run('logout', lab.url);
    expect(code).toBe(0);
    expect(err).toContain('did not answer');
    expect(err).toContain(GRANTED.token_expires_at);
    expect(stored()).toEqual({});
  });

  it('svc logout says so when there is nothing to remove (contract 10.7)', async () => {
    expect(await run('logout', lab.url)).toMatchObject({
      code: 1,
      err: `You are not signed in to ${lab.url}\n`,
    });
    expect((await run('logout')).code).toBe(2);
  });
});

describe('svc whoami (contract 10.7)', () => {
  it('svc whoami shows the lab and the account, without the control characters of its name (contract 10.7)', async () => {
    await run('login', lab.url);
    const { code, out } = await run('whoami');
    expect(code).toBe(0);
    expect(out).toContain(`lab     ${lab.url}\n`);
    expect(out).toContain('account Mia\ufffd[2J <mia@lab.test>\n');
    expect(lab.seen.at(-1)?.headers['x-svc-token']).toBe('svct_newsecret');
  });

  it('svc whoami says how to sign in (contract 10.7)', async () => {
    expect(await run('whoami', lab.url)).toMatchObject({
      code: 2,
      err: expect.stringContaining(`svc login ${lab.url}`),
    });
  });
});
