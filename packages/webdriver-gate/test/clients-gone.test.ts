import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { silentLog } from '@svc/auth-core/testing';
import { ReportOnlyStats } from '@svc/device-lab';
import { afterEach, describe, expect, it } from 'vitest';
import type { Upstream } from '../src/forward.ts';
import type { AppiumGateOptions } from '../src/gate-options.ts';
import { ANA, checkingGate } from '../src/testing/index.ts';

const ID = '0e984725-c51c-4bf4-9960-e1c80e27aba0';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.closeAllConnections();
});

/** Starts a gate whose checks wait for `settle`, in front of a server that collects the forwarded requests. */
async function start(options: Partial<AppiumGateOptions> = {}) {
  const log = silentLog();
  const forwarded: (string | undefined)[] = [];
  const { promise: asked, settle: ask } = later<void>();
  const { promise: verdict, settle } = later<boolean>();
  const authenticate = async () => {
    ask();
    if (!(await verdict)) throw new Error('the database is gone');
    return ANA;
  };
  const upstream: Partial<Upstream> = {
    request: (req, res) => {
      forwarded.push(req.url);
      res.end('done');
    },
  };
  const gate = checkingGate(authenticate, { log, upstream: upstream as Upstream, ...options });
  const server = createServer(gate.request).listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  return { server, log, forwarded, asked, settle };
}

function later<T>() {
  let settle: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => {
    settle = done;
  });
  return { promise, settle };
}

const PAIR = '{"capabilities":{"alwaysMatch":{"svc:options":{"accessKey":"k","token":"t"}}}}';
const BEARER = 'Authorization: Bearer a.b.c\r\n';
const head = (line: string, headers = '') => `${line} HTTP/1.1\r\nHost: x\r\n${headers}`;
const reportOnly = () => ({
  requireCommandAuth: false,
  commandAuthReportOnly: true,
  reportOnlyStats: new ReportOnlyStats({ now: () => 0 }),
});

const WAITING: [string, string, () => Partial<AppiumGateOptions>][] = [
  ['a command', `${head(`GET /session/${ID}/timeouts`, BEARER)}\r\n`, () => ({})],
  ['a session list', `${head('GET /appium/sessions', BEARER)}\r\n`, () => ({})],
  ['a create', `${head('POST /session', `Content-Length: ${PAIR.length}\r\n`)}\r\n${PAIR}`, () => ({})],
  ['a command that is only reported on', `${head(`GET /session/${ID}/timeouts`, BEARER)}\r\n`, reportOnly],
];

async function send(server: Server, text: string) {
  const { port } = server.address() as AddressInfo;
  const client = connect({ port, host: '127.0.0.1' });
  client.on('error', () => undefined);
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  client.write(text);
  const [socket] = await accepted;
  const closed = new Promise((done) => socket.once('close', done));
  return { client, closed };
}

describe.each(WAITING)('%s that is checked slowly (contract 7)', (_name, text, options) => {
  it('a request is not forwarded when its client has left meanwhile (contract 7)', async () => {
    const { server, forwarded, asked, settle } = await start(options());
    const { client, closed } = await send(server, text);
    await asked;
    client.resetAndDestroy();
    await closed;
    settle(true);
    await new Promise(setImmediate);
    expect(forwarded).toEqual([]);
  });

  it('a request is forwarded once it is verified (contract 7)', async () => {
    const { server, forwarded, asked, settle } = await start(options());
    const { client } = await send(server, text);
    await asked;
    expect(forwarded).toEqual([]);
    settle(true);
    await once(client, 'data');
    expect(forwarded).toEqual([text.split(' ', 2)[1]]);
    client.destroy();
  });
});

describe('a create with a wrong base path is not forwarded on when its client leaves (contract 7)', () => {
  const lost = (body: string) => `${head('POST /wd/hub/session', 'Content-Length: 2\r\n')}\r\n${body}`;

  it('a create with a wrong base path is not forwarded when its client leaves inside the body (contract 7)', async () => {
    const { server, log, forwarded } = await start();
    const begun = once(server, 'request');
    const { client, closed } = await send(server, lost('{'));
    await begun;
    client.resetAndDestroy();
    await closed;
    await new Promise(setImmediate);
    expect(forwarded).toEqual([]);
    expect(log.entries).toEqual([]);
  });

  it('a create with a wrong base path is not forwarded when its client leaves with its last byte (contract 7)', async () => {
    const { server, forwarded } = await start();
    server.prependListener('request', (req, res) => req.once('end', () => res.destroy()));
    const { closed } = await send(server, lost('{}'));
    await closed;
    await new Promise(setImmediate);
    expect(forwarded).toEqual([]);
  });
});

describe('a create that is sent before an earlier request on its connection has its answer', () => {
  const command = `${head(`GET /session/${ID}/timeouts`, BEARER)}\r\n`;
  const create = `${head('POST /session', `Content-Length: ${PAIR.length}\r\n`)}\r\n${PAIR}`;

  /** Starts a gate in front of a server that never answers commands, and refuses creates before the hook. */
  async function startBusy() {
    const { promise: refused, settle: refuse } = later<void>();
    const { promise: freed, settle: free } = later<string>();
    const forwarded: (string | undefined)[] = [];
    const request: Upstream['request'] = (req, res) => {
      forwarded.push(req.method);
      if (req.method !== 'POST') return;
      res.writeHead(404).end();
      refuse();
    };
    const place = async () => ({ abandon: () => free('freed') });
    const options = { upstream: { request }, places: { place } } as unknown as Partial<AppiumGateOptions>;
    return { ...(await start(options)), sent: forwarded, refused, freed };
  }

  it('the phone of a pipelined create is given back when the connection closes, although its response never does (contract 13)', async () => {
    const { server, settle, refused, freed } = await startBusy();
    settle(true);
    const { client } = await send(server, command + create);
    await refused;
    client.resetAndDestroy();
    expect(await freed).toBe('freed');
  });

  it('a pipelined create is not forwarded when its client leaves while it is checked (contract 7)', async () => {
    const { server, asked, settle, sent } = await startBusy();
    const { client, closed } = await send(server, command + create);
    await asked;
    client.resetAndDestroy();
    await closed;
    settle(true);
    await new Promise(setImmediate);
    expect(sent).not.toContain('POST');
  });
});
