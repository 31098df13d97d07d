import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { commandHeaders } from '../src/index.ts';
import { type RunningProxy, startProxy } from '../src/proxy.ts';
import { type LabDouble, rawConnection, startLabDouble } from './lab-double.ts';

let lab: LabDouble;
let proxy: RunningProxy;

beforeAll(async () => {
  lab = await startLabDouble();
  proxy = await startProxy({
    to: lab.url,
    headers: commandHeaders({ accessKey: 'svc_k', token: 'svct_t' }),
    allowedOrigins: ['file://'],
  });
});
beforeEach(() => {
  lab.seen.length = 0;
});
afterAll(async () => {
  await proxy.close(0);
  await lab.close();
});

const own = () => new URL(proxy.url).host;

/**
 * Sends the lines of a request head unchanged.
 * @returns the status of the response
 */
async function status(...lines: string[]): Promise<number> {
  const connection = rawConnection(proxy.url);
  connection.write(`${lines.join('\r\n')}\r\n\r\n`);
  const answer = await connection.read('\r\n\r\n');
  connection.socket.destroy();
  return Number(answer.split(' ')[1]);
}

const upgrade = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Key: a',
  'Sec-WebSocket-Version: 13',
];

describe('who may use the proxy', () => {
  test.for(['0.0.0.0', '::', '192.168.1.5', 'localhost', 'lab.example', ''])(
    'the proxy does not listen on %j (spec 5.7.2)',
    async (host) => {
      const headers = commandHeaders({ accessKey: 'k', token: 't' });
      await expect(startProxy({ to: lab.url, headers, host })).rejects.toThrow('127.0.0.1 or ::1 only');
    },
  );

  test.for([
    'evil.example',
    'evil.example:4724',
    '127.0.0.1.evil.example',
    '10.0.0.1',
    'localhost.',
    '[::2]',
    '',
  ])('Host %j is refused: a name may resolve to this machine (contract 7)', async (host) => {
    expect(await status('GET /status HTTP/1.1', `Host: ${host}`)).toBe(403);
    expect(await status('GET /bidi/1 HTTP/1.1', `Host: ${host}`, ...upgrade)).toBe(403);
    expect(lab.seen).toEqual([]);
  });

  test('two Host headers are refused, as is none (contract 7)', async () => {
    expect(await status('GET /status HTTP/1.1', `Host: ${own()}`, 'Host: evil.example')).toBe(403);
    expect(await status('GET /status HTTP/1.1', 'Host: evil.example', `Host: ${own()}`)).toBe(403);
    expect(await status('GET /status HTTP/1.0')).toBe(403);
    expect(lab.seen).toEqual([]);
  });

  test.for(['127.0.0.1:9', 'localhost', 'LOCALHOST:1', '[::1]:4724'])(
    'Host %j is this machine (contract 7)',
    async (host) => {
      expect(await status('GET /status HTTP/1.1', `Host: ${host}`)).toBe(200);
    },
  );

  test.for([
    'https://evil.example',
    'http://localhost:3000',
    'null',
    'http://127.0.0.1',
    'https://127.0.0.1:1',
  ])('a page of origin %j is refused, its sockets too (spec 5.6)', async (origin) => {
    expect(await status('POST /session HTTP/1.1', `Host: ${own()}`, `Origin: ${origin}`)).toBe(403);
    expect(await status('GET /bidi/1 HTTP/1.1', `Host: ${own()}`, `Origin: ${origin}`, ...upgrade)).toBe(403);
    expect(lab.seen).toEqual([]);
  });

  test.for(['cross-site', 'same-site'])(
    'Sec-Fetch-Site %s without Origin is refused (spec 5.6)',
    async (site) => {
      expect(await status('GET /status HTTP/1.1', `Host: ${own()}`, `Sec-Fetch-Site: ${site}`)).toBe(403);
    },
  );

  test('the proxy lets its own origin, typed addresses and allowed origins pass (spec 5.6)', async () => {
    const get = (...more: string[]) => status('GET /status HTTP/1.1', `Host: ${own()}`, ...more);
    expect(await get(`Origin: ${proxy.url}`, 'Sec-Fetch-Site: same-origin')).toBe(200);
    expect(await get('Sec-Fetch-Site: none')).toBe(200);
    expect(await get('Origin: file://', 'Sec-Fetch-Site: cross-site')).toBe(200);
  });
});

describe('what may be asked of it', () => {
  test('an absolute target of this machine is its path, of another machine it is refused (contract 7)', async () => {
    expect(await status(`GET http://${own()}/session/1/url?a=b HTTP/1.1`, `Host: ${own()}`)).toBe(200);
    expect(lab.seen[0]?.url).toBe('/session/1/url?a=b');
    expect(await status(`GET http://${own()} HTTP/1.1`, `Host: ${own()}`)).toBe(200);
    expect(lab.seen[1]?.url).toBe('/');
    for (const target of [
      'http://evil.example/status',
      'http://127.0.0.1@evil.example/',
      '*',
      'ftp://localhost/',
    ]) {
      expect(await status(`GET ${target} HTTP/1.1`, `Host: ${own()}`), target).toBe(400);
    }
    expect(lab.seen.length).toBe(2);
  });

  test('CONNECT opens nothing (contract 7)', async () => {
    const connection = rawConnection(proxy.url);
    connection.write(`CONNECT ${new URL(lab.url).host} HTTP/1.1\r\nHost: ${own()}\r\n\r\n`);
    expect(await connection.closed).toBe('');
  });

  test.for([
    '/svc/api/profile/tokens',
    '/SVC/api/auth/token',
    '//svc/api/auth/token',
    '/%73vc/api/auth/token',
    '/svc%2Fapi/auth/token',
    '/svc',
  ])('%s is refused: the key mints no credentials for whoever uses this machine (spec 5.2)', async (path) => {
    expect(await status(`POST ${path} HTTP/1.1`, `Host: ${own()}`)).toBe(403);
    expect(lab.seen).toEqual([]);
  });

  test.for([
    '/x/../svc/api/auth/token',
    '/x/%2e%2e/svc/api',
    '/x\\..\\svc',
    '/a#b',
    '/%zz',
    '/\u00e9',
    '/x%5c..%5csvc',
  ])('%s is no plain path (contract 7)', async (path) => {
    expect(await status(`POST ${path} HTTP/1.1`, `Host: ${own()}`)).toBe(400);
    expect(lab.seen).toEqual([]);
  });
});

describe('a page of an origin that was allowed by name', () => {
  const origin = 'file://';

  test('a page of an origin that was allowed by name may send commands and read their responses, and gets no credential (contract 15.5)', async () => {
    const headers = {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type, x-mine',
    };
    const preflight = await fetch(`${proxy.url}/session`, { method: 'OPTIONS', headers });
    expect([preflight.status, lab.seen.length]).toEqual([204, 0]);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET, POST, DELETE',
      'access-control-allow-headers': 'content-type, x-mine',
      vary: 'origin',
    });
    for (const [method, path] of [
      ['GET', '/session/1/source'],
      ['POST', '/session'],
    ] as const) {
      const body = method === 'POST' ? { body: '{"capabilities":{}}' } : {};
      const answer = await fetch(`${proxy.url}${path}`, { method, headers: { origin }, ...body });
      expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
      expect(answer.headers.has('access-control-allow-credentials')).toBe(false);
    }
  });

  test('a page of an origin that was allowed by name gets back no header name that is none, and other origins get no permission (contract 15.5)', async () => {
    const ask = (headers: Record<string, string>) =>
      fetch(`${proxy.url}/session`, {
        method: 'OPTIONS',
        headers: { 'access-control-request-method': 'POST', ...headers },
      });
    const odd = await ask({ origin, 'access-control-request-headers': 'x: y; z' });
    expect(odd.headers.has('access-control-allow-headers')).toBe(false);
    for (const other of ['null', 'http://attacker.example']) {
      const answer = await ask({ origin: other });
      expect([answer.status, answer.headers.has('access-control-allow-origin')]).toEqual([403, false]);
    }
    const plain = await fetch(`${proxy.url}/session/1/source`);
    expect(plain.headers.has('access-control-allow-origin')).toBe(false);
  });
});
