import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Upstream } from '../src/forward.ts';
import type { AppiumGateOptions } from '../src/gate-options.ts';
import { ANA, checkingGate } from '../src/testing/index.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.closeAllConnections();
});

const KIB = 1024;
const REQUESTS = [
  'GET /status',
  'POST /',
  'PUT /session',
  'PATCH /wd/hub/session',
  'OPTIONS /session',
  'OPTIONS /session/0e984725-c51c-4bf4-9960-e1c80e27aba0/url',
  'OPTIONS /anything',
  'GET /appium/sessions',
];

/**
 * Sends a request with a body. `seen` contains what the automation server gets: the parsed body, or the number of
 * bytes.
 */
async function send(line: string, body: string, options: Partial<AppiumGateOptions> = {}, headers = {}) {
  const seen: unknown[] = [];
  const upstream: Partial<Upstream> = {
    request: (req, res) => {
      const left = (req as IncomingMessage & { body?: unknown }).body;
      let bytes = 0;
      req.on('data', ({ length }: Buffer) => {
        bytes += length;
      });
      const answer = (): void => {
        seen.push(left ?? bytes);
        res.end('reached');
      };
      if (req.readableEnded) answer();
      else req.once('end', answer);
    },
  };
  const gate = checkingGate(async () => ANA, {
    upstream: upstream as Upstream,
    // Otherwise the gate itself responds to an OPTIONS request of a command.
    cors: true,
    createMaxBytes: 100 * KIB,
    ...options,
  });
  const server = createServer(gate.request).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const [method = '', path] = line.split(' ');
  const asking = request({ port: (server.address() as AddressInfo).port, method, path, headers });
  asking.setHeader('Content-Type', 'application/json').setHeader('Content-Length', String(body.length));
  asking.end(body);
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) text += chunk;
  return { status: answer.statusCode, text, seen };
}

describe('a body of what unauthenticated clients may send while commands are checked (contract 7)', () => {
  it.each(REQUESTS)('%s is discarded before the automation server would parse it', async (line) => {
    const { status, seen } = await send(line, '['.repeat(100 * KIB));
    expect([status, seen]).toEqual([200, [{}]]);
  });

  it.each(REQUESTS)('%s is at most as large as a create', async (line) => {
    const { status, text, seen } = await send(line, '['.repeat(100 * KIB + 1));
    expect([status, seen]).toEqual([413, []]);
    expect(JSON.parse(text).value.error).toBe('invalid argument');
  });

  it('a body of what unauthenticated clients may send reaches the automation server when its sender is authenticated (contract 7)', async () => {
    const { seen } = await send('GET /appium/sessions', 'x'.repeat(101 * KIB), {}, { authorization: 'x' });
    expect(seen).toEqual([101 * KIB]);
  });

  it('a body of what unauthenticated clients may send reaches the automation server while commands are not checked (contract 7)', async () => {
    const { seen } = await send('PUT /session', 'x'.repeat(101 * KIB), { requireCommandAuth: false });
    expect(seen).toEqual([101 * KIB]);
  });
});
