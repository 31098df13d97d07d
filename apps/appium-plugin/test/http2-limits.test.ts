import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:tls';
import { limitClients } from '@svc/api';
import { generate } from 'selfsigned';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AppiumServer } from '../src/appium-types.ts';
import { limitHttp2 } from '../src/repairs/http2-limits.ts';

/**
 * Whether `spdy`, with which Appium serves TLS, can be used. It needs a part of Node.js that was removed in version 24.
 */
const HAS_SPDY = Number(process.versions.node.split('.', 1)[0]) < 24;
const fromAppium = createRequire(
  createRequire(createRequire(import.meta.url).resolve('appium')).resolve('@appium/base-driver'),
);

const SHORT_MS = 100;
const LONG_MS = 500;

let certificate: { key: string; cert: string };
beforeAll(async () => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }]);
  certificate = { key, cert };
});

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function start(listener: RequestListener) {
  const { createServer } = fromAppium('spdy');
  const server: AppiumServer = createServer({ ...certificate, spdy: { plain: false, ssl: true } }, listener);
  limitClients(
    server,
    { maxConnections: 0, isTrustedProxy: () => false },
    { headersMs: SHORT_MS, silentMs: SHORT_MS, checkEveryMs: 20 },
  );
  limitHttp2(server, { silentMs: SHORT_MS, idleMs: SHORT_MS, unreadMs: SHORT_MS });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  ends.push(() => server.close());
  const options = { port, host: '127.0.0.1', rejectUnauthorized: false };
  const dial = async (protocol: string) => {
    const socket = connect({ ...options, ALPNProtocols: [protocol] }).on('error', () => undefined);
    ends.push(() => socket.destroy());
    await once(socket, 'secureConnect');
    return socket.resume();
  };
  const open = (): ClientHttp2Session => {
    const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
    session.on('error', () => undefined);
    ends.push(() => session.destroy());
    return session;
  };
  return { dial, open };
}

async function answerOf(session: ClientHttp2Session, body?: string) {
  const stream = session.request({ ':path': '/', ':method': body === undefined ? 'GET' : 'POST' });
  stream.on('error', () => undefined);
  if (body !== undefined) stream.write(body);
  const [{ ':status': status }] = (await once(stream, 'response')) as [{ ':status'?: number }];
  return { status, stream: stream.resume() };
}

describe.runIf(HAS_SPDY)('over TLS (contract 7)', () => {
  it.each(['http/1.1', 'h2'])(
    'a connection of %s that requests nothing after the handshake is closed',
    async (protocol) => {
      const { dial } = await start((_req, res) => res.end());
      await once(await dial(protocol), 'close');
    },
  );

  it('a connection of HTTP/2 is closed that speaks and requests nothing', async () => {
    const { open } = await start((_req, res) => res.end());
    await once(open(), 'close');
  });

  it('a connection of HTTP/2 is closed that has been idle since its last request', async () => {
    const { open } = await start((_req, res) => res.end());
    const session = open();
    const closed = once(session, 'close');
    expect((await answerOf(session)).status).toBe(200);
    await closed;
  });

  it('the rest of a body is not waited for once the request is answered', async () => {
    const { open } = await start((_req, res) => {
      res.writeHead(404);
      res.end();
    });
    const { status, stream } = await answerOf(open(), 'half');
    expect(status).toBe(404);
    await once(stream, 'close');
  });

  it('a command that takes longer than headers may is answered', async () => {
    const { open } = await start((req, res) => {
      req.resume().once('end', () => setTimeout(() => res.end('done'), LONG_MS));
    });
    expect((await answerOf(open())).status).toBe(200);
  });
});
