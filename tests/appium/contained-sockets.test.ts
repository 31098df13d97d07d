import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { startAppium } from '../support/appium.ts';
import { request } from '../support/lab.ts';
import { createSession, makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';
import { bidi, close, upgrade } from '../support/web-socket.ts';

const preload = fileURLToPath(new URL('bidi-proxying-driver.mjs', import.meta.url));

/** A driver's log socket, as several drivers open one: nothing listens for its errors. */
const LOG_SOCKETS = `
  static async updateServer(app, server) {
    const appium = require.resolve('appium/package.json');
    const { WebSocketServer } = require(require.resolve('ws', { paths: [require('fs').realpathSync(appium)] }));
    const add = async (path, listener) => {
      const sockets = new WebSocketServer({ noServer: true });
      sockets.on('connection', listener);
      await server.addWebSocketHandler(path, sockets);
    };
    await add('/ws/session/:id/deaf', () => {});
    await add('/ws/session/:id/throws', (socket) => socket.on('message', () => { throw new Error('in a listener'); }));
    await add('/ws/session/:id/rejects', (socket) => socket.on('message', async () => { throw new Error('later'); }));
    await add('/ws/session/:id/refuses', async () => { throw new Error('no connection'); });
  }
`;

/** The socket server of the driver's browser. */
const browser = createServer();
const upstream = new WebSocketServer({ server: browser });
let appium: Awaited<ReturnType<typeof startAppium>>;
let ana: Person;
let id: string;

beforeAll(async () => {
  await once(browser.listen(0, '127.0.0.1'), 'listening');
  const { port } = browser.address() as AddressInfo;
  appium = await startAppium({
    env: {
      SVC_REQUIRE_COMMAND_AUTH: 'true',
      NODE_OPTIONS: `--import=${preload}`,
      BIDI_UPSTREAM: `ws://127.0.0.1:${port}`,
    },
    plugins: ['logs', 'svc'],
    own: { logs: LOG_SOCKETS },
  });
  ana = await makePerson(appium, await superAdmin(appium), 'ana@example.org');
  id = (await createSession(appium.url, pairOf(ana))).body.value.sessionId;
});
afterAll(async () => {
  await appium?.stop();
  browser.close();
});

/** Opens a BiDi socket of the session. Returns its client end and the driver's end. */
async function proxied(): Promise<{ client: WebSocket; driver: WebSocket }> {
  const connected = once(upstream, 'connection') as Promise<[WebSocket]>;
  const client = await opened(`/bidi/${id}`);
  const [driver] = await connected;
  // After the first response arrived through it, the driver's end is ready for Appium.
  driver.once('message', (data) => driver.send(String(data)));
  await bidi(client, 'session.status');
  return { client, driver };
}

async function opened(target: string): Promise<WebSocket> {
  const { status, socket } = await upgrade(appium.url, target, ana.headers);
  expect(status, target).toBe(101);
  return socket as WebSocket;
}

const closeCode = async (socket: WebSocket): Promise<number> => (await once(socket, 'close'))[0];

/** Writes a frame that `ws` itself does not send. */
function writeRaw(socket: WebSocket, ...bytes: number[]): void {
  (socket as unknown as { _socket: Socket })._socket.write(Buffer.from(bytes));
}

/** Expects that the session and the server still work. */
async function goesOn(): Promise<void> {
  expect(appium.child.exitCode).toBeNull();
  expect((await request(`${appium.url}/session/${id}/timeouts`, { headers: ana.headers })).status).toBe(200);
}

const MASK = [1, 2, 3, 4];

describe('a BiDi socket that Appium proxies to a driver ends alone (contract 7)', () => {
  it.each<[string, (client: WebSocket) => void, number]>([
    ['dies without a close frame', (client) => client.terminate(), 1001],
    ['closes without a code', (client) => client.close(), 1000],
    ['closes with a code and the longest reason', (client) => client.close(4321, 'é'.repeat(61)), 4321],
    ['sends text that is not UTF-8', (client) => writeRaw(client, 0x81, 0x81, ...MASK, 0xff ^ 1), 1001],
    ['sends a reserved opcode', (client) => writeRaw(client, 0x83, 0x80, ...MASK), 1001],
    ['sends a close frame with code 1006', (client) => writeRaw(client, 0x88, 0x82, ...MASK, 2, 0xec), 1001],
  ])('a proxied BiDi socket ends alone when its client %s (contract 7)', async (_what, end, code) => {
    const { client, driver } = await proxied();
    client.on('error', () => {});
    const received = closeCode(driver);
    end(client);
    expect(await received).toBe(code);
    await goesOn();
  });

  it.each<[string, (driver: WebSocket) => void, number]>([
    ['dies without a close frame', (driver) => driver.terminate(), 1011],
    ['closes without a code', (driver) => driver.close(), 1000],
    ['sends text that is not UTF-8', (driver) => writeRaw(driver, 0x81, 0x01, 0xff), 1011],
    ['sends a close frame with code 1015', (driver) => writeRaw(driver, 0x88, 0x02, 3, 0xf7), 1011],
  ])('a proxied BiDi socket ends alone when its driver %s (contract 7)', async (_what, end, code) => {
    const { client, driver } = await proxied();
    driver.on('error', () => {});
    const received = closeCode(client);
    end(driver);
    expect(await received).toBe(code);
    await goesOn();
  });

  it('a proxied BiDi socket ends alone when its driver accepts no connection (contract 7)', async () => {
    browser.prependOnceListener('connection', (socket) => socket.destroy());
    const client = await opened(`/bidi/${id}`);
    expect(await closeCode(client)).toBe(1011);
    await goesOn();
  });
});

describe('no message of one socket ends the server (contract 7)', () => {
  const UNPRINTABLE = JSON.stringify({ id: { toString: 1 }, method: 'session.status', params: {} });

  it('a message of an unauthenticated client on BiDi without a session ends only its socket (contract 7)', async () => {
    const { socket } = await upgrade(appium.url, '/bidi');
    const ended = closeCode(socket as WebSocket);
    socket?.send(UNPRINTABLE);
    await ended;
    await appium.line(/A WebSocket was closed because its listener failed/);
    await goesOn();
  });

  it.each(['deaf', 'throws', 'rejects', 'refuses'])(
    "a message on a driver's own socket ends only that socket: %s (contract 7)",
    async (name) => {
      const socket = await opened(`/ws/session/${id}/${name}`);
      socket.on('error', () => {});
      const ended = closeCode(socket);
      if (name === 'deaf') writeRaw(socket, 0x83, 0x80, ...MASK);
      else if (name !== 'refuses') socket.send('anything');
      await ended;
      await goesOn();
    },
  );

  it('other sockets continue when one socket ends (contract 7)', async () => {
    const kept = await proxied();
    const { client } = await proxied();
    client.terminate();
    kept.driver.once('message', () => kept.driver.send('"still here"'));
    kept.client.send('{}');
    expect(String((await once(kept.client, 'message'))[0])).toBe('"still here"');
    await close(kept.client);
    await goesOn();
  });
});
