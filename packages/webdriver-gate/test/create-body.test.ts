import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CreateBudget } from '../src/create-budget.ts';
import type { Upstream } from '../src/forward.ts';
import { checkingGate } from '../src/testing/index.ts';

const KIB = 1024;
const servers: Server[] = [];
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.closeAllConnections();
});

interface Options {
  readonly budget?: CreateBudget;
  readonly createMaxBytes?: number;
  readonly admit?: () => Promise<unknown>;
}

/**
 * Starts a server whose gate admits create-session requests as `admit` does. `seen` contains the bodies that were
 * forwarded.
 */
async function serverOf({ budget, createMaxBytes = 512 * KIB, admit = async () => undefined }: Options) {
  const seen: unknown[] = [];
  const upstream: Partial<Upstream> = {
    request: (req, res) => {
      seen.push((req as IncomingMessage & { body: unknown }).body);
      res.end('created');
    },
  };
  const gate = checkingGate(admit, {
    upstream: upstream as Upstream,
    createMaxBytes,
    ...(budget === undefined ? {} : { createBudget: budget }),
  });
  const server = createServer(gate.request).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return { seen, port: (server.address() as AddressInfo).port };
}

/** Connects a client that sends raw bytes. `answer` resolves when the response matches `pattern`. */
function clientOf(port: number) {
  const socket = connect({ port, host: '127.0.0.1' });
  sockets.push(socket);
  let text = '';
  socket.on('data', (data) => {
    text += data;
  });
  socket.on('error', () => undefined);
  return {
    socket,
    send: (bytes: string) => socket.write(bytes),
    answer: async (pattern = /\r\n\r\n./s) => {
      while (!pattern.test(text)) await once(socket, 'data');
      return text;
    },
  };
}

const head = (...headers: string[]) =>
  ['POST /session HTTP/1.1', 'Host: x', 'Content-Type: application/json', ...headers, '', ''].join('\r\n');
const declared = (bytes: number) => head(`Content-Length: ${bytes}`);
const CHUNKED = head('Transfer-Encoding: chunked');
const chunk = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n`;
const clock = { now: () => 0 };

describe('the size of a create (contract 5)', () => {
  it('the size of a create is refused by its Content-Length before any byte of it arrives (contract 5)', async () => {
    const { port } = await serverOf({ createMaxBytes: 100 });
    const client = clientOf(port);
    client.send(declared(101));
    const answer = await client.answer();
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('"error":"invalid argument","message":"the body is larger than 100 bytes"');
  });

  it('the size of a create is refused by what arrives where no length is declared (contract 5)', async () => {
    const { port } = await serverOf({ createMaxBytes: 100 });
    const client = clientOf(port);
    client.send(CHUNKED + chunk('x'.repeat(60)) + chunk('x'.repeat(60)));
    expect(await client.answer()).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('the size of a create may be the limit exactly, in one piece and in chunks of one byte (contract 5)', async () => {
    const { port, seen } = await serverOf({ createMaxBytes: 9 * KIB });
    const body = JSON.stringify({ a: 'é'.repeat((9 * KIB - 8) / 2) });
    expect(Buffer.byteLength(body)).toBe(9 * KIB);
    for (const sent of [
      declared(9 * KIB) + body,
      CHUNKED +
        [...Buffer.from(body)].map((byte) => `1\r\n${String.fromCharCode(byte)}\r\n`).join('') +
        chunk(''),
    ]) {
      const client = clientOf(port);
      client.socket.write(sent, sent.startsWith(CHUNKED) ? 'latin1' : 'utf8');
      await client.answer(/created/);
    }
    expect(seen).toEqual([JSON.parse(body), JSON.parse(body)]);
  });

  it('the size of a create is counted in chunks too, because each takes processor time (contract 5)', async () => {
    const { port } = await serverOf({ createMaxBytes: 512 * KIB });
    const client = clientOf(port);
    client.send(CHUNKED + '1\r\nx\r\n'.repeat(100_000));
    const answer = await client.answer();
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('the body has more than 16384 chunks');
    await once(client.socket, 'close');
  });

  it('a create that is too large is answered even if its client sends everything before it reads (contract 5)', async () => {
    const { port } = await serverOf({ createMaxBytes: 100 });
    const client = clientOf(port);
    client.socket.pause();
    client.send(declared(3 * KIB * KIB));
    await new Promise((sent) => client.socket.write('x'.repeat(3 * KIB * KIB), sent));
    client.socket.resume();
    expect(await client.answer()).toMatch(/^HTTP\/1\.1 413 /);
    await once(client.socket, 'close');
  });

  it.each(['/wd/hub/session'])(
    'the size of a create holds for %s, of which nothing is kept (contract 5)',
    async (path) => {
      const budget = new CreateBudget(clock, 1);
      const { port, seen } = await serverOf({ budget, createMaxBytes: 100 });
      const small = clientOf(port);
      small.send(`${declared(90).replace('/session', path)}${'x'.repeat(90)}`);
      await small.answer(/created/);
      expect(seen).toEqual([{}]);
      const large = clientOf(port);
      large.send(declared(101).replace('/session', path));
      expect(await large.answer()).toMatch(/^HTTP\/1\.1 413 /);
    },
  );
});

describe('bodies of creates that nobody has admitted yet (contract 5)', () => {
  it('bodies of creates that nobody has admitted yet share one budget: beyond it 503 with Retry-After (contract 5)', async () => {
    const budget = new CreateBudget(clock, 64 * KIB);
    const { port } = await serverOf({ budget });
    const holders = Array.from({ length: 4 }, () => clientOf(port));
    for (const { send } of holders) send(declared(20 * KIB) + 'x'.repeat(15 * KIB));
    await vi.waitUntil(() => budget.held >= 60 * KIB);
    const late = clientOf(port);
    late.send(declared(20 * KIB) + 'x'.repeat(15 * KIB));
    const answer = await late.answer();
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toContain('\r\nRetry-After: 5\r\n');
    expect(answer).toContain('"error":"session not created"');
    for (const { socket } of holders) socket.destroy();
    await vi.waitUntil(() => budget.held === 0);
    const next = clientOf(port);
    next.send(`${declared(2)}{}`);
    await next.answer(/created/);
  });

  it('bodies of creates that nobody has admitted yet count as held: by what has arrived, not by what is declared, chunks of one byte included (contract 5)', async () => {
    const budget = new CreateBudget(clock);
    const { port } = await serverOf({ budget });
    const [idle, slow] = [clientOf(port), clientOf(port)];
    idle.send(declared(512 * KIB));
    slow.send(CHUNKED + '1\r\nx\r\n'.repeat(5000));
    await vi.waitUntil(() => budget.held >= 5000);
    expect(budget.held).toBe(8 * KIB);
  });

  it.each([
    ['is not JSON', 'x'],
    ['is not an object', '[]'],
    ['is refused', '{"capabilities":{"alwaysMatch":{"svc:options":{"team":"nobody"}}}}'],
    ['is admitted', '{}'],
  ])(
    'bodies of creates that nobody has admitted yet give their bytes back when the create %s (contract 5)',
    async (_, body) => {
      const budget = new CreateBudget(clock);
      const { port } = await serverOf({ budget });
      const client = clientOf(port);
      client.send(declared(body.length) + body.slice(0, -1));
      if (body.length > 1) await vi.waitUntil(() => budget.held > 0);
      client.send(body.slice(-1));
      await client.answer();
      expect(budget.held).toBe(0);
    },
  );

  it('bodies of creates that nobody has admitted yet are held until their credentials are checked, also when the client is gone by then (contract 5)', async () => {
    const budget = new CreateBudget(clock);
    let reached = false;
    let refuse: (error: Error) => void = () => undefined;
    const admit = () =>
      new Promise<never>((_, reject) => {
        reached = true;
        refuse = reject;
      });
    const { port } = await serverOf({ budget, admit });
    const body = '{"capabilities":{"alwaysMatch":{"svc:options":{"sessionToken":"a.b.c"}}}}';
    const client = clientOf(port);
    client.send(declared(body.length) + body);
    await vi.waitUntil(() => reached);
    client.socket.destroy();
    expect(budget.held).toBeGreaterThan(0);
    refuse(new Error('no keys'));
    await vi.waitUntil(() => budget.held === 0);
  });

  it('bodies of creates that nobody has admitted yet make room for new ones once they have been arriving for 5 s (contract 5)', async () => {
    let now = 0;
    const budget = new CreateBudget({ now: () => now }, 8 * KIB);
    const { port } = await serverOf({ budget });
    const stalled = clientOf(port);
    stalled.send(`${declared(8 * KIB)}${'x'.repeat(5 * KIB)}`);
    await vi.waitUntil(() => budget.held > 0);
    now = 5_000;
    const honest = clientOf(port);
    honest.send(`${declared(2)}{}`);
    await honest.answer(/created/);
    expect(await stalled.answer()).toMatch(/^HTTP\/1\.1 503 /);
  });
});
