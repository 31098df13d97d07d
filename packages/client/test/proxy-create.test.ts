import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { commandHeaders } from '../src/index.ts';
import { type RunningProxy, startProxy } from '../src/proxy.ts';
import { type LabDouble, rawConnection, startLabDouble } from './lab-double.ts';

const PAIR = { accessKey: 'svc_ours', token: 'svct_ours' };
const THEIR_PAIR = { accessKey: 'svc_theirs', token: 'svct_theirs' };

let lab: LabDouble;
let proxy: RunningProxy;

beforeEach(async () => {
  lab = await startLabDouble();
  proxy = await startProxy({ to: lab.url, headers: commandHeaders(PAIR), createCredentials: PAIR });
});
afterEach(async () => {
  await proxy.close(0);
  await lab.close();
});

async function create(body: unknown, path = '/session'): Promise<unknown> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await fetch(`${proxy.url}${path}`, {
    method: 'POST',
    body: text,
    headers: { 'content-type': 'application/json; charset=utf-8' },
  });
  expect(answer.status).toBe(200);
  await answer.arrayBuffer();
  const seen = lab.bodies.at(-1) as string;
  expect(lab.seen.at(-1)?.headers['content-length']).toBe(String(Buffer.byteLength(seen)));
  return seen === text ? 'unchanged' : JSON.parse(seen);
}

const device = { platformName: 'Android', 'appium:app': '/app é.apk' };
const options = { 'svc:options': PAIR };

describe('the credentials of a create through the proxy', () => {
  test.for(['/session', '/wd/hub/session', '/session/'])(
    'POST %s carries the pair in svc:options of alwaysMatch (spec 5.4.1)',
    async (path) => {
      expect(await create({ capabilities: { alwaysMatch: device, firstMatch: [{}] } }, path)).toEqual({
        capabilities: { alwaysMatch: { ...device, ...options }, firstMatch: [{}] },
      });
    },
  );

  test('such a create is marked sensitive, other requests are not (spec 5.5.2)', async () => {
    await create({ capabilities: {} });
    expect(lab.seen[0]?.headers['x-auto-is-sensitive']).toBe('true');
    await fetch(`${proxy.url}/session/1/url`, { method: 'POST', body: '{"capabilities":{}}' });
    expect(lab.seen[1]?.headers).not.toHaveProperty('x-auto-is-sensitive');
    expect(lab.bodies[1]).toBe('{"capabilities":{}}');
  });

  test('empty capabilities become the W3C form, never bare ones (contract 6.1)', async () => {
    expect(await create({ capabilities: {} })).toEqual({ capabilities: { alwaysMatch: options } });
    expect(await create({ capabilities: { firstMatch: [device] } })).toEqual({
      capabilities: { alwaysMatch: options, firstMatch: [device] },
    });
  });

  test('credentials the tool brought are replaced, its other options are kept (contract 6.4)', async () => {
    const theirs = { ...THEIR_PAIR, sessionToken: 'theirs', team: 'blue' };
    expect(await create({ capabilities: { alwaysMatch: { ...device, 'svc:options': theirs } } })).toEqual({
      capabilities: { alwaysMatch: { ...device, 'svc:options': { team: 'blue', ...PAIR } } },
    });
    const body = JSON.stringify(
      await create({ capabilities: { alwaysMatch: device, firstMatch: [{ 'svc:options': theirs }, {}] } }),
    );
    expect(body).not.toContain('theirs');
  });

  test('a body that is no W3C create is the service’s to refuse: byte for byte (contract 6.1)', async () => {
    for (const body of [
      '',
      'no JSON',
      '[]',
      'null',
      '{"capabilities":[]}',
      '{ "capabilities" : "x" }',
      JSON.stringify({ desiredCapabilities: device }),
    ]) {
      expect(await create(body), body).toBe('unchanged');
    }
    const packed = gzipSync(JSON.stringify({ capabilities: {} }));
    const headers = { 'content-encoding': 'gzip' };
    await fetch(`${proxy.url}/session`, { method: 'POST', body: packed, headers });
    expect(lab.bodies.at(-1)).toBe(packed.toString('utf8'));
  });

  test('the proxy adds the pair alone to any capabilities (contract 6.1)', async () => {
    const json = fc.jsonValue({ maxDepth: 2 });
    const capabilities = fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), json, { maxKeys: 4 });
    await fc.assert(
      fc.asyncProperty(capabilities, fc.array(capabilities, { maxLength: 3 }), async (always, first) => {
        const body = { capabilities: { alwaysMatch: always, firstMatch: first } };
        const sent = (await create(body)) as typeof body;
        const { 'svc:options': added, ...rest } = sent.capabilities.alwaysMatch;
        expect(added).toEqual(PAIR);
        expect({ ...rest }).toEqual(JSON.parse(JSON.stringify(always)));
        expect(sent.capabilities.firstMatch).toEqual(JSON.parse(JSON.stringify(first)));
      }),
      { numRuns: 50 },
    );
  });

  test('a body over 4 MiB is 413 and never sent (contract 1)', async () => {
    const asking = httpRequest(`${proxy.url}/session`, { method: 'POST' });
    asking.on('error', () => {});
    const answered = once(asking, 'response');
    asking.write(Buffer.alloc(4 * 1024 * 1024 + 1, ' '));
    const [answer] = await answered;
    expect(answer.statusCode).toBe(413);
    asking.destroy();
    expect(lab.seen).toEqual([]);
  });

  test('a chunked body is sent as one of known length; one that breaks off is not sent (contract 7)', async () => {
    const host = new URL(proxy.url).host;
    const body = JSON.stringify({ capabilities: {} });
    const head = `POST /session HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n`;
    const broken = rawConnection(proxy.url);
    broken.write(head);
    broken.socket.destroy();
    await broken.closed;
    const whole = rawConnection(proxy.url);
    whole.write(`${head}${body}\r\n0\r\n\r\n`);
    await whole.read('{"value":null}');
    whole.socket.destroy();
    expect(lab.seen.length).toBe(1);
    expect(lab.seen[0]?.headers).not.toHaveProperty('transfer-encoding');
    expect(JSON.parse(lab.bodies[0] as string)).toEqual({ capabilities: { alwaysMatch: options } });
  });

  test('the proxy without createCredentials leaves the capabilities unchanged (spec 5.7)', async () => {
    const plain = await startProxy({ to: lab.url, headers: commandHeaders(PAIR) });
    const body = '{ "capabilities": {} }';
    await fetch(`${plain.url}/session`, { method: 'POST', body });
    await plain.close(0);
    expect(lab.bodies).toEqual([body]);
    expect(lab.seen[0]?.headers).not.toHaveProperty('x-auto-is-sensitive');
  });
});
