import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { DestinationRules, Destinations, Lookups, Outbound, type Resolve } from '@svc/outbound';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HttpSender } from '../src/http-sender.ts';

/** Short limits, so that the tests need not wait long. */
const LIMITS = { connectMs: 400, wholeMs: 700, checkMs: 400 };
const LOOPBACK: Resolve = async () => [{ address: '127.0.0.1', family: 4 }];

interface Received {
  readonly path: string | undefined;
  readonly method: string | undefined;
  readonly headers: Record<string, unknown>;
  readonly body: string;
}

let servers: { close(done: () => void): unknown; closeAllConnections?(): void }[];
let sockets: Set<Socket>;
let received: Received[];

beforeEach(() => {
  servers = [];
  sockets = new Set();
  received = [];
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await Promise.all(servers.map((server) => new Promise<void>((done) => server.close(done))));
});

async function listening(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  servers.push(server);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Starts a receiver that stores the requests that it gets and responds with `answer`. */
const receiver = (answer: RequestListener) =>
  listening(
    createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += chunk));
      request.on('end', () => {
        const { url: path, method, headers } = request;
        received.push({ path, method, headers, body });
        answer(request, response);
      });
    }),
  );

const senderWith = (resolve: Resolve = LOOPBACK, allow: string[] = ['127.0.0.1']) => {
  const rules = new DestinationRules(allow);
  const lookups = new Lookups(resolve);
  const destinations = new Destinations({ rules: () => rules, lookups, setting: 'SVC_WEBHOOK_ALLOW' });
  return new HttpSender(destinations, new Outbound(null), 'svc/test', LIMITS);
};

const DELIVERY = { headers: { 'webhook-id': 'msg_1' }, body: '{"event":"test","payload":"Größe"}' };
const send = (url: string, sender = senderWith()) => sender.send({ url, ...DELIVERY });

describe('a delivery', () => {
  it('a delivery is one POST of JSON on a connection that is closed behind it', async () => {
    const port = await receiver((_request, response) => response.end('thanks'));
    expect(await send(`http://hooks.test:${port}/a?b=c`)).toEqual({ status: 200, error: null });
    expect(received).toEqual([
      {
        path: '/a?b=c',
        method: 'POST',
        headers: expect.objectContaining({
          host: `hooks.test:${port}`,
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(DELIVERY.body)),
          'webhook-id': 'msg_1',
          connection: 'close',
        }),
        body: DELIVERY.body,
      },
    ]);
    await expect.poll(() => sockets.size).toBe(0);
  });

  it.each([204, 400, 404, 410, 429, 500, 503])('answered with %i has that status', async (status) => {
    const port = await receiver((_request, response) => response.writeHead(status).end());
    expect(await send(`http://hooks.test:${port}/`)).toEqual({ status, error: null });
  });

  it.each([301, 302, 303, 307, 308])('redirected with %i is not sent anywhere else', async (status) => {
    let visited = 0;
    const inner = await receiver((_request, response) => {
      visited += 1;
      response.end();
    });
    const port = await receiver((_request, response) =>
      response.writeHead(status, { location: `http://127.0.0.1:${inner}/` }).end(),
    );
    expect(await send(`http://hooks.test:${port}/`)).toEqual({ status, error: null });
    expect(visited).toBe(0);
  });

  it('a delivery is over at its time, when the receiver accepts and never answers', async () => {
    const port = await listening(createTcpServer((socket) => socket.resume()));
    expect(await send(`http://hooks.test:${port}/`)).toEqual({ status: null, error: 'no_response' });
    await expect.poll(() => sockets.size).toBe(0);
  });

  it('a delivery is over at its time, when headers trickle in', async () => {
    const port = await listening(
      createTcpServer((socket) => {
        socket.on('error', () => undefined);
        socket.write('HTTP/1.1 200 OK\r\n');
        const drip = setInterval(() => socket.write('x-a: b\r\n'), 50);
        socket.once('close', () => clearInterval(drip));
      }),
    );
    expect(await send(`http://hooks.test:${port}/`)).toEqual({ status: null, error: 'no_response' });
    await expect.poll(() => sockets.size).toBe(0);
  });

  it('a delivery has the status of an answer whose body never ends, and its connection is closed', async () => {
    const port = await receiver((_request, response) => {
      const drip = setInterval(() => response.write('x'), 20);
      response.once('close', () => clearInterval(drip));
    });
    expect(await send(`http://hooks.test:${port}/`)).toEqual({ status: 200, error: null });
    await expect.poll(() => sockets.size).toBe(0);
  });

  it('a delivery reads no more of a huge body than it must', async () => {
    let written = 0;
    const port = await receiver((_request, response) => {
      const chunk = Buffer.alloc(64 * 1024);
      const more = () => {
        while (!response.destroyed && response.write(chunk)) written += chunk.length;
      };
      response.on('drain', more);
      more();
    });
    expect(await send(`http://hooks.test:${port}/`)).toEqual({ status: 200, error: null });
    await expect.poll(() => sockets.size).toBe(0);
    expect(written).toBeLessThan(64 * 1024 * 1024);
  });

  it.each([
    ['resets', (socket: Socket) => socket.resetAndDestroy()],
    ['speaks something else', (socket: Socket) => socket.end('SSH-2.0-x\r\n')],
    [
      'wants another protocol',
      (socket: Socket) => socket.end('HTTP/1.1 101 S\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    ],
    ['closes at once', (socket: Socket) => socket.end()],
    [
      'sends endless headers',
      (socket: Socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(200_000)}`),
    ],
  ])('a delivery has no answer when the receiver %s', async (_what, react) => {
    const port = await listening(
      createTcpServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => react(socket));
      }),
    );
    expect(await send(`http://hooks.test:${port}/`)).toEqual({ status: null, error: 'no_response' });
  });

  it('a delivery has no answer when nobody listens, and none when the name is unknown or not answered in time', async () => {
    const port = await receiver(() => undefined);
    await new Promise<void>((done) => servers.pop()?.close(() => done()));
    const none = { status: null, error: 'no_response' };
    expect(await send(`http://hooks.test:${port}/`)).toEqual(none);
    expect(
      await send(
        'http://hooks.test/',
        senderWith(async () => Promise.reject(new Error('ENOTFOUND'))),
      ),
    ).toEqual(none);
    expect(
      await send(
        'http://hooks.test/',
        senderWith(() => new Promise(() => undefined)),
      ),
    ).toEqual(none);
  });

  it('a delivery is cut when the sender closes', async () => {
    const port = await listening(createTcpServer((socket) => socket.resume()));
    const sender = senderWith();
    const sending = send(`http://hooks.test:${port}/`, sender);
    await expect.poll(() => sockets.size).toBe(1);
    sender.close();
    expect(await sending).toEqual({ status: null, error: 'no_response' });
    expect(await send(`http://hooks.test:${port}/`, sender)).toEqual({ status: null, error: 'no_response' });
  });
});

describe('where a delivery goes', () => {
  it('a name that answers another address the second time is refused, and nothing is connected', async () => {
    let asked = 0;
    const rebinding: Resolve = async () => {
      asked += 1;
      return [{ address: asked === 1 ? '192.0.2.7' : '127.0.0.1', family: 4 }];
    };
    const port = await receiver((_request, response) => response.end());
    const sender = senderWith(rebinding, []);
    await sender.check(new URL(`http://hooks.test:${port}/`));
    expect(await send(`http://hooks.test:${port}/`, sender)).toEqual({
      status: null,
      error: 'destination_not_allowed',
    });
    expect(received).toEqual([]);
    expect(sockets.size).toBe(0);
  });

  it('the address that was checked is the one that is connected to: it is asked for once', async () => {
    let asked = 0;
    const turning: Resolve = async () => {
      asked += 1;
      return [{ address: asked === 1 ? '127.0.0.1' : '127.0.0.9', family: 4 }];
    };
    const port = await receiver((_request, response) => response.end());
    expect(await send(`http://hooks.test:${port}/`, senderWith(turning))).toMatchObject({ status: 200 });
    expect(asked).toBe(1);
  });

  it('a check refuses what is not allowed and nothing else', async () => {
    const check = (url: string, resolve?: Resolve) => senderWith(resolve, []).check(new URL(url));
    await expect(check('http://hooks.test/')).rejects.toThrow();
    await expect(check('http://127.0.0.1/')).rejects.toThrow();
    await expect(check('http://10.0.0.1/')).resolves.toBeUndefined();
    await expect(
      check('http://hooks.test/', async () => Promise.reject(new Error('EAI_AGAIN'))),
    ).resolves.toBeUndefined();
    await expect(check('http://hooks.test/', () => new Promise(() => undefined))).resolves.toBeUndefined();
  });
});
