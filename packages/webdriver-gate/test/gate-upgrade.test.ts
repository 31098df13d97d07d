import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import type { Upstream } from '../src/forward.ts';
import { ANA, checkingGate } from '../src/testing/index.ts';

const ID = '0e984725-c51c-4bf4-9960-e1c80e27aba0';

/**
 * Starts a gate whose check of one credential waits for `settle`, in front of a server that takes over every socket.
 */
async function start(way: 'upgrade' | 'request') {
  const taken: { req: IncomingMessage; socket: Duplex; errorListeners: number }[] = [];
  const take = (req: IncomingMessage, socket: Duplex) => {
    taken.push({ req, socket, errorListeners: socket.listenerCount('error') });
    socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n');
  };
  let settle: (verified: boolean) => void = () => undefined;
  let asked: () => void = () => undefined;
  const checking = new Promise<void>((done) => {
    asked = done;
  });
  const authenticate = () => {
    asked();
    return new Promise((done, failed) => {
      settle = (verified) => (verified ? done(ANA) : failed(new Error('the database is gone')));
    });
  };
  const gate = checkingGate(authenticate, {
    upstream: { upgrade: take, request: (req) => take(req, req.socket) } as Upstream,
    site: { upgrade: take, request: (req) => take(req, req.socket) } as Upstream,
  });
  const server = createServer();
  if (way === 'upgrade') server.on('upgrade', gate.upgrade);
  server.on('request', gate.request);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  return { server, gate, taken, checking, settle: (verified: boolean) => settle(verified) };
}

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.closeAllConnections();
});

/** Sends an upgrade and returns its connection, whose client half is not closed automatically. */
async function knock(server: Server, headers = 'Authorization: Bearer a.b.c\r\n', target = `/bidi/${ID}`) {
  const { port } = server.address() as AddressInfo;
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  client.on('error', () => undefined);
  let text = '';
  client.on('data', (data) => {
    text += data;
  });
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  client.write(
    `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${headers}\r\n`,
  );
  const [socket] = await accepted;
  const closed = new Promise((done) => socket.once('close', done));
  const ended = new Promise((done) => client.once('end', done));
  return { client, closed, ended, received: () => text };
}

describe.each(['upgrade', 'request'] as const)(
  'an upgrade that Node delivers as `%s` (spec 5.7.7)',
  (way) => {
    it('a client that resets the connection during the check harms nothing', async () => {
      const { server, taken, checking, settle } = await start(way);
      const { client, closed } = await knock(server);
      await checking;
      client.resetAndDestroy();
      await closed;
      settle(true);
      await new Promise(setImmediate);
      expect(taken).toEqual([]);
    });

    it.each([
      [404, ''],
      [503, 'Authorization: Bearer a.b.c\r\n'],
    ])(
      'a refusal is a bare %i, and the connection is closed though its client never does',
      async (status, headers) => {
        const { server, checking, settle, taken } = await start(way);
        const { received, closed, ended, client } = await knock(server, headers);
        if (status === 503) {
          await checking;
          settle(false);
        }
        await Promise.all([closed, ended]);
        expect(received()).toMatch(
          new RegExp(
            `^HTTP/1.1 ${status} [^\r]*\r\n(?:(?:Connection: close|Content-Length: 0|Date:[^\r]*)\r\n)+\r\n$`,
          ),
        );
        expect(taken).toEqual([]);
        client.destroy();
      },
    );

    it('the upgrade that is passed on has the one spelling that was checked (spec 5.7.7)', async () => {
      const { server, checking, settle, taken } = await start(way);
      const target = `http://x/BIDI/${ID}/?x=/bidi/another`;
      const { client, closed } = await knock(server, undefined, target);
      await checking;
      settle(true);
      client.end();
      await closed;
      expect(taken.map(({ req }) => req.url)).toEqual([`/bidi/${ID}`]);
    });

    it.each([
      ['without credentials', '', 404],
      ['with credentials that cannot be checked', 'Authorization: Bearer a.b.c\r\n', 503],
      ['with two Authorization headers', 'Authorization: Basic x\r\nAuthorization: Bearer a.b.c\r\n', 404],
    ])(
      'a driver’s own socket, outside a session, is refused %s (contract 7)',
      async (_name, headers, status) => {
        for (const target of ['/drivers/own', '/ws/own', '/bidiother']) {
          const { server, checking, settle, taken } = await start(way);
          const { received, closed, ended, client } = await knock(server, headers, target);
          if (status === 503) {
            await checking;
            settle(false);
          }
          await Promise.all([closed, ended]);
          expect(received(), target).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
          expect(taken).toEqual([]);
          client.destroy();
        }
      },
    );

    it('a driver’s own socket is open to those with a valid credential, which ends here (contract 7)', async () => {
      const { server, checking, settle, taken } = await start(way);
      const { client } = await knock(server, undefined, '/drivers/own?x=1');
      await checking;
      settle(true);
      await once(client, 'data');
      expect(taken.map(({ req }) => req.url)).toEqual(['/drivers/own?x=1']);
      expect(taken[0]?.req.headers).not.toHaveProperty('authorization');
      client.destroy();
    });

    it('BiDi without a session is open to everybody', async () => {
      const { server, taken } = await start(way);
      const { client } = await knock(server, '', '/bidi?/bidi/x');
      await once(client, 'data');
      expect(taken.map(({ req }) => req.url)).toEqual(['/bidi']);
      client.destroy();
    });

    it("the upgrade that is passed on is unchanged from Node's (spec 5.7.7)", async () => {
      const { server, checking, settle, taken } = await start(way);
      const before = new Promise<number>((count) => {
        server.prependOnceListener(way, (req: IncomingMessage) => count(req.socket.listenerCount('error')));
      });
      const { client } = await knock(server);
      await checking;
      settle(true);
      await once(client, 'data');
      expect(taken).toHaveLength(1);
      expect(taken[0]?.errorListeners).toBe(await before);
      expect(taken[0]?.req.url).toBe(`/bidi/${ID}`);
      expect(taken[0]?.req.headers).not.toHaveProperty('authorization');
      client.destroy();
    });
  },
);

it('an upgrade of a command needs a credential too where Node delivers it as `upgrade` (contract 7)', async () => {
  const { server, taken } = await start('upgrade');
  const { received, closed, ended, client } = await knock(server, '', `/session/${ID}/url`);
  await Promise.all([closed, ended]);
  expect(received()).toMatch(/^HTTP\/1.1 404 /);
  expect(taken).toEqual([]);
  client.destroy();
});
