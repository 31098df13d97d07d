import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { generate } from 'selfsigned';
import { afterEach, describe, expect, it } from 'vitest';
import { isCounted, limitClients, stopCounting, suspendTimeout } from '../src/clients/client-limits.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

const SHORT = { headersMs: 200, silentMs: 200, checkEveryMs: 20 };
const LONG_MS = 700;

async function start(listener: RequestListener, limit = {}) {
  const server = createServer(listener);
  servers.push(server);
  limitClients(server, { maxConnections: 0, isTrustedProxy: () => false, ...limit }, SHORT);
  // Appium also sets this timeout when it begins to listen.
  server.headersTimeout = 605_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const open = () => {
    const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
    client.on('error', () => undefined);
    return client;
  };
  return { server, open };
}

async function all(client: Socket): Promise<string> {
  let text = '';
  client.on('data', (data) => {
    text += data;
  });
  await once(client, 'close');
  return text;
}

describe('(appium-notes 2) a client that takes too long', () => {
  it('a client that takes too long to send its headers gets 408, and its connection is closed (appium-notes 2)', async () => {
    const { open } = await start((_req, res) => res.end());
    const client = open();
    client.write('GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    expect(await all(client)).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('a connection on which the client sends nothing for too long is closed (appium-notes 2)', async () => {
    const { open } = await start((_req, res) => res.end());
    await all(open());
  });

  it('a client that takes too long with the headers of a later request on its connection gets 408', async () => {
    const { open } = await start((_req, res) => res.end());
    const client = open();
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(client, 'data');
    client.write('GET / HTTP/1.1\r\n');
    expect(await all(client)).toMatch(/HTTP\/1\.1 408 /);
  });
});

describe('(appium-notes 2) not touched by it are', () => {
  it('a command that takes long, and its answer', async () => {
    const { open } = await start((req, res) => {
      res.writeHead(200, { Connection: 'close' });
      res.write('begun, ');
      req.resume().once('end', () => setTimeout(() => res.end('done'), LONG_MS));
    });
    const client = open();
    client.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}');
    expect(await all(client)).toContain('done');
  });

  it('a body that takes long, as of an app', async () => {
    const { open } = await start((req, res) => {
      req.resume().once('end', () => res.writeHead(200, { Connection: 'close' }).end('done'));
    });
    const client = open();
    client.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{');
    setTimeout(() => client.write('}'), LONG_MS);
    expect(await all(client)).toContain('done');
  });

  it('a connection that is kept for the next request', async () => {
    const { open } = await start((_req, res) => res.end('done'));
    const client = open();
    const ask = async () => {
      client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      return String((await once(client, 'data'))[0]);
    };
    expect(await ask()).toContain('200 OK');
    await new Promise((done) => setTimeout(done, LONG_MS));
    expect(await ask()).toContain('200 OK');
    client.destroy();
  });

  it('an upgraded socket', async () => {
    const { server, open } = await start((_req, res) => res.end());
    server.on('upgrade', (_req, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
      setTimeout(() => socket.end('a frame'), LONG_MS);
    });
    const client = open();
    client.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    expect(await all(client)).toContain('a frame');
  });
});

describe('a request that takes longer than Node grants', () => {
  const HALF = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n\r\nhalf';

  async function timed(listener: RequestListener) {
    const { server, open } = await start(listener);
    server.requestTimeout = SHORT.headersMs;
    const client = open();
    client.write(HALF);
    return client;
  }

  it('a request that takes longer than Node grants is answered 408 and closed', async () => {
    expect(await all(await timed(() => undefined))).toMatch(/^HTTP\/1\.1 408 .*\r\nConnection: close/);
  });

  it('a request that takes longer than Node grants goes on if it is an upload, and the next one on its connection is timed (contract 2, apps)', async () => {
    const client = await timed(async (req, res) => {
      const time = suspendTimeout(req.socket);
      await once(req.resume(), 'end');
      time.resume();
      res.end();
    });
    await new Promise((later) => setTimeout(later, LONG_MS));
    client.write('half');
    const [answer] = await once(client, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
    client.write('POST / HTTP/1.1\r\nHost: x\r\nContent-');
    expect(await all(client)).toMatch(/^HTTP\/1\.1 408 /);
  });
});

describe('SVC_MAX_CONNECTIONS_PER_ADDRESS (contract 5)', () => {
  const ask = async (client: Socket) => {
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const [data] = await Promise.race([once(client, 'data'), once(client, 'close')]);
    return String(data).includes('200 OK');
  };

  it('SVC_MAX_CONNECTIONS_PER_ADDRESS closes the connections beyond; one that ends makes room (contract 5)', async () => {
    const { server, open } = await start((_req, res) => res.end(), { maxConnections: 2 });
    const clients = [open(), open()];
    expect(await Promise.all(clients.map(ask))).toEqual([true, true]);
    expect(await ask(open())).toBe(false);
    const gone = once(server, 'connection').then(() => undefined);
    clients[0]?.destroy();
    let served = false;
    while (!served) served = await ask(open());
    await gone;
    clients[1]?.destroy();
  });

  it('SVC_MAX_CONNECTIONS_PER_ADDRESS does not count those of a trusted proxy (contract 5)', async () => {
    const isTrustedProxy = (address: string) => address.endsWith('127.0.0.1');
    const { open } = await start((_req, res) => res.end(), { maxConnections: 1, isTrustedProxy });
    expect(await Promise.all([open(), open(), open()].map(ask))).toEqual([true, true, true]);
  });

  it('no longer counts a connection that has proven to be of the lab, and takes it off the count once', async () => {
    const { open } = await start(
      ({ socket, url }, res) => {
        if (url === '/proven') stopCounting(socket);
        res.end(String(isCounted(socket)));
      },
      { maxConnections: 2 },
    );
    const prove = async (client: Socket) => {
      client.write('GET /proven HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3));
      return String((await once(client, 'data'))[0]);
    };
    const proven: Socket[] = [];
    while (proven.length < 4) {
      const client = open();
      proven.push(client);
      expect(await prove(client)).toMatch(/false$/);
    }
    const others = [open(), open()];
    expect(await Promise.all(others.map(ask))).toEqual([true, true]);
    expect(await ask(open())).toBe(false);
    // The connections of verified servers are not counted, so closing them does not allow other clients more
    // connections.
    await Promise.all(
      proven.map((client) => {
        client.end();
        return once(client, 'close');
      }),
    );
    expect(await ask(open())).toBe(false);
  });

  it('no longer counts a connection over TLS either', async () => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }]);
    const server = createTlsServer({ key, cert }, ({ socket }, res) => {
      const before = isCounted(socket);
      stopCounting(socket);
      res.end(`${before} ${isCounted(socket)}`);
    });
    servers.push(server);
    limitClients(server, { maxConnections: 1, isTrustedProxy: () => false }, SHORT);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    for (let count = 0; count < 3; count++) {
      const client = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
      client.on('error', () => undefined).write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      const [data] = await Promise.race([once(client, 'data'), once(client, 'close')]);
      expect(String(data)).toMatch(/true false$/);
    }
  });
});
