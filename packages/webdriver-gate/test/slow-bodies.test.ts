import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Upstream } from '../src/forward.ts';
import { ANA, checkingGate } from '../src/testing/index.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.closeAllConnections();
});

const BODY_MS = 100;
const LONG_MS = 500;

/** Sends the first half of a body and, if `later` is true, the other half. Resolves to the whole response. */
async function send(line: string, { later = false, http2 = false } = {}): Promise<string> {
  const upstream: Partial<Upstream> = {
    request: (req, res) => {
      req.resume().once('end', () => res.writeHead(200, { Connection: 'close' }).end());
    },
  };
  const gate = checkingGate(async () => ANA, {
    upstream: upstream as Upstream,
    site: upstream as Upstream,
    bodyMs: BODY_MS,
  });
  const server = createServer((req, res) => {
    // Mark the request as Appium’s server marks requests over HTTP/2.
    if (http2) Object.assign(req, { isSpdy: true });
    if (http2) res.once('finish', () => setTimeout(() => req.socket.destroy(), LONG_MS));
    gate.request(req, res);
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
  client.on('error', () => undefined);
  let text = '';
  client.on('data', (data) => {
    text += data;
  });
  client.write(`${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a.b.c\r\nContent-Length: 2\r\n\r\n{`);
  if (later) setTimeout(() => client.write('}'), LONG_MS);
  await once(client, 'close');
  return text;
}

describe('a body that does not arrive in time (contract 7)', () => {
  it.each(['POST /session', 'POST /wd/hub/session'])(
    'the body of a create that does not arrive in time, %s, gets 408, and its connection is closed (contract 7)',
    async (line) => {
      const answer = await send(line);
      expect(answer).toMatch(/^HTTP\/1\.1 408 /);
      expect(answer).toContain('"error":"timeout"');
    },
  );

  it('the body of a public route that does not arrive in time gets 408, and its connection is closed (contract 7)', async () => {
    expect(await send('POST /svc/api/auth/login')).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('the body of a public route over HTTP/2 that does not arrive in time gets 408 in the answer alone (contract 7)', async () => {
    const answer = await send('POST /svc/api/auth/login', { http2: true });
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toContain('Content-Length: 0\r\nDate: ');
  });

  it.each([
    'POST /session/0e984725-c51c-4bf4-9960-e1c80e27aba0/appium/device/push_file',
    'POST /svc/api/apps',
  ])('a body that does not arrive in time is waited for in %s (contract 7)', async (line) => {
    expect(await send(line, { later: true })).toMatch(/^HTTP\/1\.1 200 /);
  });
});
