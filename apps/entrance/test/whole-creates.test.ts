import { once } from 'node:events';
import {
  type ClientRequest,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { fakeClock, silentLog } from '@svc/auth-core/testing';
import { connectionPool, Outbound } from '@svc/outbound';
import { CreateBudget } from '@svc/webdriver-gate';
import { COMMAND_HEADERS } from '@svc/webdriver-gate/testing';
import { afterEach, expect, it } from 'vitest';
import { CREATE_CONNECTIONS, wholeCreates } from '../src/creates/whole-creates.ts';

const CREATED = '{"value":{"sessionId":"s1","capabilities":{}}}';
const MAX_BYTES = 64 * 1024;
/** Bytes of the budget that the smallest body uses. */
const SMALLEST = 4096;

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Received {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/**
 * Starts a further entrance that forwards create-session requests to a fake first entrance, which records the requests
 * that it receives.
 */
async function start({ withinMs = 60_000, connections = 4, limit = 1024 * 1024 } = {}) {
  const received: Received[] = [];
  const dialed: Socket[] = [];
  const held: ServerResponse[] = [];
  const state = { holds: false };
  const first = createServer(async (req, res) => {
    received.push({ headers: req.headers, body: await text(req) });
    if (state.holds) held.push(res);
    else res.end(CREATED);
  });
  first.on('connection', (socket: Socket) => dialed.push(socket));
  const url = await listening(first);
  const clock = fakeClock();
  const budget = new CreateBudget(clock, limit);
  const pool = connectionPool(url, new Outbound(null), {}, connections);
  ends.push(() => pool.destroy());
  const log = silentLog();
  const creates = wholeCreates({
    url,
    pool: () => pool,
    basePath: '',
    limits: { maxBytes: MAX_BYTES, withinMs },
    budget,
    clients: { addressOf: () => '198.51.100.7', isHttps: () => false },
    commandHeaders: COMMAND_HEADERS,
    clock,
    log,
  });
  const further = await listening(createServer(creates));
  const create = (body: string | null, headers: Record<string, string | number> = {}): Create => {
    const asking = httpRequest(`${further}/session`, { method: 'POST', agent: false, headers });
    const answer = new Promise<Answer>((done) => {
      asking.once('error', () => done({ status: 0, body: '', headers: {} }));
      asking.once('response', async (res) => {
        done({ status: res.statusCode ?? 0, headers: res.headers, body: await text(res).catch(() => '') });
      });
    });
    if (body === null) asking.flushHeaders();
    else asking.end(body);
    return { asking, answer };
  };
  return { received, dialed, held, state, budget, log, create };
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

interface Create {
  readonly asking: ClientRequest;
  readonly answer: Promise<Answer>;
}

it('a create is sent in one piece, as it came, without the credentials of its headers (contract 5)', async () => {
  const { create, received, budget } = await start();
  const body = JSON.stringify({ capabilities: { alwaysMatch: { 'svc:options': { token: 'ü' } } } });
  const headers = {
    'content-type': 'application/json',
    'x-svc-token': 'secret',
    'x-forwarded-for': '10.9.9.9',
  };
  expect(await create(body, headers).answer).toMatchObject({ status: 200, body: CREATED });
  const chunked = create(null, { 'transfer-encoding': 'chunked' });
  for (const character of body) chunked.asking.write(character);
  chunked.asking.end();
  expect((await chunked.answer).status).toBe(200);
  expect((await create('', { 'content-length': 0 }).answer).status).toBe(200);
  expect(received.map((each) => each.body)).toEqual([body, body, '']);
  for (const { headers: sent, body: text } of received) {
    expect(sent).toMatchObject({
      'content-length': String(Buffer.byteLength(text)),
      'x-forwarded-for': '198.51.100.7',
      'x-forwarded-proto': 'http',
    });
    expect(sent).not.toHaveProperty('transfer-encoding');
    expect(sent).not.toHaveProperty('x-svc-token');
  }
  expect(received.map(({ headers: sent }) => sent['x-svc-command-credentials'])).toEqual([
    'true',
    undefined,
    undefined,
  ]);
  expect(budget.held).toBe(0);
});

it('a create keeps its key pair in Authorization: Basic, and no other Authorization (contract 15.2)', async () => {
  const { create, received } = await start();
  const ours = `Basic ${Buffer.from('svc_k:svct_t').toString('base64')}`;
  const sent = [ours, 'Basic dTpw', 'Bearer a.b.c'];
  for (const authorization of sent) await create('{}', { authorization }).answer;
  expect(received.map(({ headers }) => headers.authorization)).toEqual([ours, undefined, undefined]);
});

it('creates whose bodies never arrive use no connection and hold up no other create (contract 5)', async () => {
  const { create, dialed, budget } = await start({ connections: 1 });
  const hostile = Array.from({ length: 64 }, () => create(null, { 'content-length': 1000 }));
  for (const { asking } of hostile) asking.write('{');
  await expect.poll(() => budget.held).toBeGreaterThan(0);
  expect(dialed).toEqual([]);
  expect((await create('{}').answer).status).toBe(200);
  expect(dialed).toHaveLength(1);
  for (const { asking } of hostile) asking.destroy();
  await expect.poll(() => budget.held).toBe(0);
});

it('a body that is too large or too slow is refused here (contract 5)', async () => {
  const { create, dialed, budget, log } = await start({ withinMs: 50 });
  const refused = (status: number) => expect.objectContaining({ status });
  expect(await create(null, { 'content-length': MAX_BYTES + 1 }).answer).toEqual(refused(413));
  const chunked = create(null, { 'transfer-encoding': 'chunked' });
  chunked.asking.end('x'.repeat(MAX_BYTES + 1));
  expect(await chunked.answer).toEqual(refused(413));
  const slow = create(null, { 'content-length': 1000 });
  slow.asking.write('{');
  expect(await slow.answer).toEqual(refused(408));
  expect(dialed).toEqual([]);
  expect(budget.held).toBe(0);
  expect(log.messages('warn')).toEqual([
    expect.stringMatching(/^Session create refused: the body is larger/),
    expect.stringMatching(/^Session create refused: the body is larger/),
    'Session create refused: the body did not arrive in time',
  ]);
});

it('a create beyond the budget gets 503 with Retry-After (contract 5)', async () => {
  const { create, budget } = await start({ limit: 4 * SMALLEST });
  const hostile = Array.from({ length: 4 }, () => create(null, { 'content-length': 1000 }));
  for (const { asking } of hostile) asking.write('{');
  await expect.poll(() => budget.held).toBe(4 * SMALLEST);
  const { status, headers, body } = await create('{}').answer;
  expect([status, headers['retry-after']]).toEqual([503, '5']);
  expect(JSON.parse(body).value.error).toBe('session not created');
  hostile[0]?.asking.destroy();
  await expect.poll(async () => (await create('{}').answer).status).toBe(200);
  for (const { asking } of hostile) asking.destroy();
});

it('a create that waits for its answer holds nothing of the budget, one that waits for its turn does (contract 5)', async () => {
  const { create, held, received, state, budget } = await start({
    connections: CREATE_CONNECTIONS,
    limit: 4 * 1024 * 1024,
  });
  state.holds = true;
  const waiting = Array.from({ length: CREATE_CONNECTIONS }, () => create('{}'));
  await expect.poll(() => held.length).toBe(CREATE_CONNECTIONS);
  expect(budget.held).toBe(0);
  const body = JSON.stringify({ x: 'x'.repeat(2_000) });
  const later = Array.from({ length: 3 }, () => create(body));
  await expect.poll(() => budget.held).toBe(3 * SMALLEST);
  later[0]?.asking.destroy();
  await expect.poll(() => budget.held).toBe(2 * SMALLEST);
  state.holds = false;
  for (const res of held) res.end(CREATED);
  const answers = await Promise.all([...waiting, ...later.slice(1)].map(({ answer }) => answer));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  // If a client disconnects while its create-session request waits, the request is never sent.
  expect(received).toHaveLength(CREATE_CONNECTIONS + 2);
  expect(budget.held).toBe(0);
});
