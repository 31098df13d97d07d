import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { origin, Refusal, type RequestOrigin } from '@svc/auth-core';
import { afterEach, describe, expect, it } from 'vitest';
import { clientFacts } from '../src/client-facts.ts';
import type { Upstream } from '../src/forward.ts';
import type { AppiumGateOptions } from '../src/gate-options.ts';
import { ANA, checkingGate } from '../src/testing/index.ts';

const ID = '0e984725-c51c-4bf4-9960-e1c80e27aba0';
const PAIR = '{"capabilities":{"alwaysMatch":{"svc:options":{"accessKey":"k","token":"t"}}}}';
const TOKEN = '{"capabilities":{"alwaysMatch":{"svc:options":{"sessionToken":"a.b.c"}}}}';
const BEARER = 'Authorization: Bearer a.b.c\r\n';
const UPGRADE = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.closeAllConnections();
});

/** Starts a gate behind a proxy. `origins` collects the origin of each authentication. */
async function start(caller: unknown, options: Partial<AppiumGateOptions> = {}) {
  const origins: RequestOrigin[] = [];
  const authenticate = async (_presented: unknown, from: RequestOrigin) => {
    origins.push(origin(from));
    if (caller instanceof Error) throw caller;
    return caller;
  };
  const upstream: Partial<Upstream> = {
    request: (_req, res) => void res.end('done'),
    upgrade: (_req, socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
  };
  const gate = checkingGate(authenticate, {
    upstream: upstream as Upstream,
    ...options,
  });
  const server = createServer(gate.request).on('upgrade', gate.upgrade).listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  const send = async (line: string, headers: string, body = '') => {
    const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
    client.on('error', () => undefined);
    const length = body === '' ? '' : `Content-Length: ${body.length}\r\n`;
    client.write(
      `${line} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.7\r\n${headers}${length}\r\n${body}`,
    );
    const [answer] = (await once(client, 'data')) as [Buffer];
    client.destroy();
    return answer.toString('latin1');
  };
  return { origins, send };
}

describe('whom the gate authenticates comes from a real address (contract 2, audit)', () => {
  it.each([
    ['a create by key pair', 'POST /session', '', PAIR],
    ['a create by session token', 'POST /session', '', TOKEN],
    ['a command', `GET /session/${ID}/timeouts`, BEARER, ''],
    ['a session list', 'GET /appium/sessions', BEARER, ''],
    ['a session socket', `GET /bidi/${ID}`, BEARER + UPGRADE, ''],
  ])('%s', async (_name, line, headers, body) => {
    const { origins, send } = await start(ANA);
    await send(line, `X-Request-Id: run.1\r\n${headers}`, body);
    const from = { address: '192.0.2.7', peer: '127.0.0.1', requestId: 'run.1' };
    expect(origins).toEqual([{ ...from, sender: '127.0.0.1' }]);
    const proxied = await start(ANA, { clients: clientFacts(['127.0.0.0/8']) });
    await proxied.send(line, `X-Request-Id: run.1\r\n${headers}`, body);
    expect(proxied.origins).toEqual([{ ...from, sender: '192.0.2.7' }]);
  });
});

const refused = new Refusal('invalid token', 'unknown');
const idOf = (answer: string) => /^x-request-id: (.*)$/im.exec(answer)?.[1]?.trim();

describe('what the gate answers itself carries the id of the request (contract 7)', () => {
  const ANSWERS: [string, string, string, string, unknown][] = [
    ['a refused command', `GET /session/${ID}/timeouts`, BEARER, '', refused],
    ['a command without credentials', `GET /session/${ID}/timeouts`, '', '', refused],
    ['a command that cannot be checked', `GET /session/${ID}/url`, BEARER, '', new Error('locked')],
    ['a list that cannot be checked', 'GET /appium/sessions', BEARER, '', new Error('locked')],
    ['a refused create', 'POST /session', '', '[]', refused],
    ['a create that cannot be checked', 'POST /session', '', PAIR, new Error('locked')],
    ['a create that goes on', 'POST /session', '', PAIR, ANA],
    ['an impossible target', 'GET /session#', '', '', refused],
  ];

  it.each(ANSWERS)('%s', async (_name, line, headers, body, caller) => {
    const { send } = await start(caller);
    expect(idOf(await send(line, `X-Request-Id: run.1\r\n${headers}`, body))).toBe('run.1');
    expect(idOf(await send(line, headers, body))).toMatch(/^[\da-f-]{36}$/);
    expect(idOf(await send(line, `X-Request-Id: a b\r\n${headers}`, body))).toMatch(/^[\da-f-]{36}$/);
  });

  it('a refused upgrade stays bare', async () => {
    const { send } = await start(refused);
    expect(idOf(await send(`GET /bidi/${ID}`, `X-Request-Id: run.1\r\n${BEARER}${UPGRADE}`))).toBeUndefined();
  });
});
