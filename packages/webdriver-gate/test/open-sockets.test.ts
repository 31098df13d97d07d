import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Duplex } from 'node:stream';
import { type Account, type Caller, type Stores, scopeSet } from '@svc/auth-core';
import { fakeClock, silentLog } from '@svc/auth-core/testing';
import { OpenConnections } from '@svc/module';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Upstream } from '../src/forward.ts';
import { OpenSockets } from '../src/open-sockets.ts';
import { ANA, COMMAND_HEADERS, checkingGate } from '../src/testing/index.ts';

const ID = '0e984725-c51c-4bf4-9960-e1c80e27aba0';
const MAX = { id: 'max', role: 'Super admin', status: 'Active' } as Account;
const ana = (expiresAt: number | null = null) =>
  ({
    account: { id: 'ana', role: 'Member' },
    credential: { kind: 'key', id: 'token', isPerson: false },
    scopes: scopeSet(['sessions']),
    expiresAt,
  }) as unknown as Caller;

class Connection extends Duplex {
  bytesWritten = 0;
  sent = Buffer.alloc(0);
  override _read(): void {}
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.sent = Buffer.concat([this.sent, chunk]);
    this.bytesWritten += chunk.length;
    done();
  }
}

function start() {
  const clock = fakeClock();
  const log = silentLog();
  const state = {
    good: true,
    version: 1,
    owner: 'ana' as string | undefined,
    locked: false,
    checks: 0,
    closed: [] as string[],
  };
  const accounts = new Map<string, Account>([
    ['ana', ana().account],
    ['max', MAX],
  ]);
  const sockets = new OpenConnections({
    authenticator: {
      stillGood: () => {
        state.checks++;
        if (state.locked) throw new Error('database is locked');
        return state.good;
      },
    },
    stores: { version: () => state.version, accounts: { byId: (id: string) => accounts.get(id) } } as Stores,
    clock,
    log,
  });
  const sessionSockets = new OpenSockets({
    connections: sockets,
    sessions: { ownerOf: () => state.owner },
    log,
    warnings: { write: () => undefined },
    trail: { socketClosed: (_id, _caller, reason) => state.closed.push(reason) },
  });
  const open = (caller: Caller = ana()) => {
    const socket = new Connection();
    const forget = sessionSockets.add(socket, { caller, sessionId: ID }) ?? expect.unreachable();
    socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
    return { socket, forget };
  };
  const end = () => sessionSockets.sessionEnded(ID);
  return { clock, log, state, sockets, open, accounts, end };
}

const CLOSED_1008 = Buffer.from([0x88, 2, 0x03, 0xf0]);

describe('a session socket that was let in (contract 7)', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
  afterEach(() => void vi.useRealTimers());

  it('a session socket that was let in is checked once, and then only when something changed or half a minute is not far (contract 7)', () => {
    const { clock, state, sockets, open } = start();
    open();
    for (let second = 0; second < 13; second++, clock.advance(1000)) sockets.look();
    expect(state.checks).toBe(1);
    state.version++;
    sockets.look();
    expect(state.checks).toBe(2);
    clock.advance(14_000);
    sockets.look();
    expect(state.checks).toBe(3);
  });

  it('a session socket that was let in is closed with 1008 at the next look when its credential is gone (contract 7)', async () => {
    const { state, open, log } = start();
    const { socket } = open();
    vi.advanceTimersByTime(1000);
    expect(socket.destroyed).toBe(false);
    Object.assign(state, { good: false, version: 2 });
    vi.advanceTimersByTime(1000);
    await once(socket, 'close');
    expect(socket.sent.subarray(-4)).toEqual(CLOSED_1008);
    expect(log.messages('warn')).toEqual(['Session socket closed: the credential is no longer valid']);
    expect(state.closed).toEqual(['the credential is no longer valid']);
  });

  it('a session socket that was let in reads nothing more of what its client sends (contract 7)', async () => {
    const { state, open } = start();
    const { socket } = open();
    const read = vi.fn();
    socket.on('data', read);
    Object.assign(state, { good: false, version: 2 });
    vi.advanceTimersByTime(1000);
    socket.push('a command');
    await once(socket, 'close');
    expect(read).not.toHaveBeenCalled();
  });

  it('a session socket that was let in is closed when its credential expires, though nothing changed (contract 7)', async () => {
    const { clock, state, open } = start();
    const { socket } = open(ana(clock.now() + 5000));
    vi.advanceTimersByTime(1000);
    clock.advance(5000);
    state.good = false;
    vi.advanceTimersByTime(1000);
    await once(socket, 'close');
  });

  it('a session socket that was let in is closed when an admin it was opened by is none any more; a demoted owner keeps theirs (contract 7)', async () => {
    const { state, open, accounts } = start();
    const admin = { ...ana(), account: MAX, scopes: scopeSet(['admin']) };
    const [foreign, own] = [open(admin).socket, open().socket];
    vi.advanceTimersByTime(1000);
    accounts.set('max', { ...MAX, role: 'Member' });
    state.version++;
    vi.advanceTimersByTime(1000);
    await once(foreign, 'close');
    expect(own.destroyed).toBe(false);
  });

  it('a session socket that was let in is closed with 1001 when its session ends (contract 7)', async () => {
    const { state, open, end, log } = start();
    const { socket } = open();
    vi.advanceTimersByTime(1000);
    state.owner = undefined;
    end();
    vi.advanceTimersByTime(1000);
    await once(socket, 'close');
    expect(socket.sent.subarray(0, -'the session has ended'.length).subarray(-2)).toEqual(
      Buffer.from([0x03, 0xe9]),
    );
    expect(log.entries).toEqual([]);
  });

  it('a session socket that cannot be checked is closed within 30 s, unless a check succeeds in between (contract 7)', async () => {
    const { clock, state, sockets, open } = start();
    const { socket } = open();
    sockets.look();
    const pass = (seconds: number) => {
      for (let second = 0; second < seconds; second++) {
        clock.advance(1000);
        sockets.look();
      }
    };
    Object.assign(state, { locked: true, version: 2 });
    pass(27);
    expect(socket.destroyed).toBe(false);
    state.locked = false;
    pass(1);
    state.locked = true;
    pass(27);
    expect(socket.destroyed).toBe(false);
    pass(2);
    await once(socket, 'close');
  });

  it('one failing check is enough for a look at all', () => {
    const { state, sockets, open } = start();
    for (let count = 0; count < 5; count++) open();
    state.locked = true;
    sockets.look();
    expect(state.checks).toBe(1);
  });

  it('a session socket that turned out to be none is left alone, and no timer runs without sockets (contract 7)', () => {
    const { state, open } = start();
    const { socket, forget } = open();
    forget();
    state.good = false;
    vi.advanceTimersByTime(60_000);
    expect(socket.destroyed).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });
});

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.closeAllConnections();
});

async function opened(way: 'upgrade' | 'request', answer: string, target = `/bidi/${ID}`) {
  let good = true;
  const take: Upstream = {
    upgrade: (_req, socket) => void socket.write(answer),
    request: (req, res) => {
      if (answer.includes(' 404 ')) res.writeHead(404).end();
      else req.socket.write(answer);
    },
  };
  const authenticate = async () => ANA;
  const gate = checkingGate(authenticate, {
    upstream: take,
    authenticator: {
      authenticateCommand: authenticate,
      commandHeaders: COMMAND_HEADERS,
      holds: () => true,
      stillGood: () => good,
    } as never,
  });
  const server = createServer(gate.request);
  if (way === 'upgrade') server.on('upgrade', gate.upgrade);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
  client.write(
    `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nAuthorization: Bearer a\r\n\r\n`,
  );
  await once(client, 'data');
  const end = () => {
    good = false;
  };
  return { client, end };
}

describe.each(['upgrade', 'request'] as const)(
  'an upgrade that Node delivers as `%s` (contract 7)',
  (way) => {
    it.each([
      ['of a session', `/bidi/${ID}`],
      ['of a driver, outside a session', '/drivers/own'],
    ])('a socket %s is closed once its credential is gone', async (_name, target) => {
      const { client, end } = await opened(way, 'HTTP/1.1 101 Switching Protocols\r\n\r\n', target);
      end();
      const [frame] = (await once(client, 'data')) as [Buffer];
      expect(frame).toEqual(CLOSED_1008);
      await once(client, 'close');
    });
  },
);

it.each([`/bidi/${ID}`, '/drivers/own'])(
  'a connection whose upgrade was answered as a request stays one: %s (contract 7)',
  async (target) => {
    const { client, end } = await opened('request', 'HTTP/1.1 404 Not Found\r\n\r\n', target);
    end();
    const spoiled = vi.fn();
    client.on('data', spoiled).on('close', spoiled);
    const later = await opened('request', 'HTTP/1.1 101 Switching Protocols\r\n\r\n');
    later.end();
    await once(later.client, 'close');
    expect(spoiled).not.toHaveBeenCalled();
    client.destroy();
  },
);
