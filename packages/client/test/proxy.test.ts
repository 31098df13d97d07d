import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get, request as httpRequest } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { commandHeaders, SvcError } from '../src/index.ts';
import { type RunningProxy, startProxy } from '../src/proxy.ts';
import { type LabDouble, rawConnection, startLabDouble, THEIRS } from './lab-double.ts';

const PAIR = { accessKey: 'svc_ours', token: 'svct_ours' };

let lab: LabDouble;
let proxy: RunningProxy;

beforeEach(async () => {
  lab = await startLabDouble();
  proxy = await startProxy({ to: lab.url, headers: commandHeaders(PAIR) });
});
afterEach(async () => {
  await proxy.close(0);
  await lab.close();
});

const host = () => new URL(proxy.url).host;

async function messageOf(answer: Response): Promise<string> {
  return ((await answer.json()) as { value: { message: string } }).value.message;
}

describe('a command through the proxy', () => {
  test('a command through the proxy carries our pair and none of the credentials it came with (spec 5.7.2)', async () => {
    const answer = await fetch(`${proxy.url}/session/1/url?x=1`, {
      headers: { ...THEIRS, 'x-other': 'kept' },
    });
    expect(await answer.text()).toBe('{"value":null}');
    expect(lab.seen[0]?.url).toBe('/session/1/url?x=1');
    expect(lab.seen[0]?.headers).toMatchObject({
      host: new URL(lab.url).host,
      'x-svc-access-key': 'svc_ours',
      'x-svc-token': 'svct_ours',
      'x-other': 'kept',
    });
    expect(JSON.stringify(lab.seen[0]?.rawHeaders)).not.toMatch(/theirs|"hub"/);
  });

  test('status, headers and bytes of the answer are untouched (spec 5.7.4)', async () => {
    const body = '{"value":{"error":"invalid session id"}}';
    lab.answer = (_request, response) => {
      response.writeHead(404, 'Not Found', { 'content-type': 'application/json', 'x-a': ['1', '2'] });
      response.end(body);
    };
    const answer = await fetch(`${proxy.url}/session/1/url`);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('x-a')).toBe('1, 2');
    expect(await answer.text()).toBe(body);
  });

  test('header fields of the connection stay on it (contract 7)', async () => {
    const connection = rawConnection(proxy.url);
    connection.write(
      `GET /status HTTP/1.1\r\nHost: ${host()}\r\nConnection: keep-alive, X-Hop\r\nX-Hop: 1\r\nTE: gzip\r\nX-End: 2\r\n\r\n`,
    );
    await connection.read('{"value":null}');
    connection.socket.destroy();
    expect(lab.seen[0]?.headers).toMatchObject({ 'x-end': '2' });
    expect(lab.seen[0]?.headers).not.toHaveProperty('x-hop');
    expect(lab.seen[0]?.headers).not.toHaveProperty('te');
  });

  test.for(['POST', 'DELETE', 'GET'])(
    'a chunked body of a %s stays one body (contract 7)',
    async (method) => {
      const connection = rawConnection(proxy.url);
      const inner = 'GET /session/smuggled HTTP/1.1\r\nHost: x\r\n\r\n';
      connection.write(
        `${method} /session/1 HTTP/1.1\r\nHost: ${host()}\r\nTransfer-Encoding: chunked\r\n\r\n` +
          `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`,
      );
      await connection.read('{"value":null}');
      connection.socket.destroy();
      expect(lab.bodies).toEqual([inner]);
      expect(lab.seen.length).toBe(1);
    },
  );

  test('large bodies stream both ways (spec 5.7.2)', async () => {
    const sent = randomBytes(8 * 1024 * 1024).toString('hex');
    lab.answer = (_request, response, body) => response.end(body);
    const answer = await fetch(`${proxy.url}/session/1/appium/device/push_file`, {
      method: 'POST',
      body: sent,
    });
    const hash = (text: string) => createHash('sha256').update(text).digest('hex');
    expect(hash(await answer.text())).toBe(hash(sent));
  });

  test('an answer is passed on while it is still being written (spec 5.7.2)', async () => {
    let finish = () => {};
    lab.answer = (_request, response) => {
      response.write('first');
      finish = () => response.end('last');
    };
    const asking = get(`${proxy.url}/session/1/mjpeg`);
    const [answer] = await once(asking, 'response');
    const [chunk] = await once(answer, 'data');
    expect(String(chunk)).toBe('first');
    finish();
    const [last] = await once(answer, 'data');
    expect(String(last)).toBe('last');
  });

  test('a client that leaves during a command also ends the request behind the proxy (spec 5.7.2)', async () => {
    const left = new Promise<void>((gone) => {
      lab.answer = (_request, response) => {
        response.write('x');
        response.on('close', gone);
      };
    });
    const asking = get(`${proxy.url}/session/1/source`);
    asking.on('error', () => {});
    await once(asking, 'response');
    asking.destroy();
    await left;
  });

  test('an offer of HTTP/2, as Java makes it, is declined and the request goes on (contract 7)', async () => {
    for (const body of ['', 'a body']) {
      const asking = httpRequest(`${proxy.url}/session/1/url`, {
        method: 'POST',
        headers: {
          connection: 'Upgrade, HTTP2-Settings',
          upgrade: 'h2c',
          'http2-settings': 'AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
          'content-length': body.length,
        },
      });
      asking.end(body);
      const [answer] = await once(asking, 'response');
      expect(answer.statusCode).toBe(200);
      answer.resume();
      await once(answer, 'end');
    }
    expect(lab.bodies).toEqual(['', 'a body']);
    expect(lab.seen[0]?.headers).not.toHaveProperty('upgrade');
  });

  test('a service that is away is 502, a token that cannot be had 503, never a bare request (spec 5.7.5)', async () => {
    const issue = async () => {
      throw new SvcError({
        status: 401,
        code: 'invalid credentials',
        requestId: null,
        message: 'secret text',
      });
    };
    const tokenless = await startProxy({ to: lab.url, headers: commandHeaders({ issue }) });
    const refused = await fetch(`${tokenless.url}/session/1/url`);
    expect(refused.status).toBe(503);
    expect(await messageOf(refused)).toBe('svc proxy: no bearer token could be had (invalid credentials)');
    await tokenless.close(0);
    expect(lab.seen).toEqual([]);
    await lab.close();
    const away = await fetch(`${proxy.url}/session/1/url`);
    expect(away.status).toBe(502);
    expect(await messageOf(away)).toMatch(/did not answer \(ECONN/);
  });
});

describe('a create through the proxy', () => {
  const created = (capabilities: unknown) => JSON.stringify({ value: { sessionId: '1', capabilities } });
  const create = (path = '/session') =>
    fetch(`${proxy.url}${path}`, { method: 'POST', body: '{}', headers: { 'accept-encoding': 'gzip' } });

  test.for(['/session', '/wd/hub/session', '/session/'])(
    'POST %s: webSocketUrl points at the proxy (spec 5.7.7)',
    async (path) => {
      lab.answer = (_request, response) =>
        response.end(created({ webSocketUrl: 'wss://lab.example:4723/wd/hub/bidi/1?a=b', other: 1 }));
      const answer = (await (await create(path)).json()) as { value: { capabilities: unknown } };
      expect(answer.value.capabilities).toEqual({
        webSocketUrl: `ws://${host()}/wd/hub/bidi/1?a=b`,
        other: 1,
      });
      expect(lab.seen[0]?.headers['accept-encoding']).toBeUndefined();
    },
  );

  test('an answer without one, a refusal and a huge one pass byte for byte (spec 5.7.7)', async () => {
    const bodies = [
      '{ "value" : {"sessionId":"1", "capabilities":{"big":12345678901234567890}}}',
      created({ webSocketUrl: true }),
      'no JSON',
      created({ webSocketUrl: 'ws://lab/bidi/1', filler: 'x'.repeat(2 * 1024 * 1024) }),
    ];
    for (const body of bodies) {
      lab.answer = (_request, response) => response.end(body);
      expect((await (await create()).text()) === body, body.slice(0, 80)).toBe(true);
    }
  });
});
