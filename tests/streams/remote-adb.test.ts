import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type WebSocket from 'ws';
import { type Credentials, type Person, World } from '../conformance/support/world.ts';
import { frame, okay, type ScriptedAdb, scriptedAdb } from '../devices/support/scripted-adb.ts';
import { startApi } from '../support/lab.ts';
import { until } from '../support/records.ts';
import { close, upgrade } from '../support/web-socket.ts';

const PHONE = 'adb-1';
const DEVICES = `${PHONE} device product:p model:Pixel_8 device:d transport_id:1\n`;

/** Sockets of the phone that take no bytes. */
const slowPhones: Socket[] = [];

/** An adb server with one phone that echoes what `exec:cat` gets, and connects back for `reverse:forward`. */
function serve(service: string, socket: Socket): void {
  if (service === 'host:track-devices-l') socket.write(okay(frame(DEVICES)));
  else if (service.startsWith('host:transport:')) socket.write(okay());
  else if (service.endsWith(':features')) socket.end(okay(frame('shell_v2,cmd,bad feature')));
  else if (service.startsWith('shell:getprop')) socket.end(okay('14\n'));
  else if (service === 'exec:slow') {
    socket.write(okay());
    slowPhones.push(socket.removeAllListeners('data').pause());
  } else if (service === 'exec:cat') {
    socket.write(okay());
    socket.removeAllListeners('data');
    socket.on('data', (bytes) => void socket.write(bytes));
  } else if (service === 'shell:id') socket.end(okay('uid=2000(shell)\n'));
  else if (service.startsWith('shell:')) socket.write(okay('running\n'));
  else if (service.startsWith('reverse:forward:')) {
    const port = Number(/;tcp:(\d+)$/.exec(service)?.[1]);
    socket.end(okay('OKAY'));
    connect(port, '127.0.0.1').end('from the phone');
  } else if (service.startsWith('reverse:')) socket.end(okay('OKAY'));
  else socket.end(`FAIL${frame('closed')}`);
}

describe('adb from elsewhere', () => {
  let adb: ScriptedAdb;
  let world: World;
  let holder: Person;
  let stranger: Person;
  let leaseId = '';

  beforeAll(async () => {
    adb = await scriptedAdb(serve);
    world = await World.start(startApi, { SVC_ADB: `127.0.0.1:${adb.port}` });
    holder = await world.person();
    stranger = await world.person();
    await until(
      () => world.ok('GET', '/devices', { as: world.root.as }),
      (devices) => devices.length === 1,
    );
    await leaseAgain();
  });
  afterAll(async () => {
    await world.server.stop();
    await adb.close();
  });

  const leaseAgain = async () => {
    const json = { udid: PHONE, minutes: 30 };
    leaseId = (await world.ok('POST', '/leases', { as: holder.as, json })).leaseId;
  };
  const askTicket = (as: Credentials, udid = PHONE) =>
    world.api('POST', `/control/${udid}/adb/ticket`, { as });
  const ticketOf = async (as: Credentials): Promise<string> => (await askTicket(as)).body.ticket;
  const connectWith = (ticket: string, udid = PHONE) =>
    upgrade(world.url, `/svc/api/control/${udid}/adb?ticket=${ticket}`);
  const open = async (as = holder.as): Promise<WebSocket> => {
    const { socket } = await connectWith(await ticketOf(as));
    if (socket === undefined) throw new Error('refused');
    const answers: unknown[] = [];
    texts.set(socket, answers);
    socket.on('message', (text, isBinary) => isBinary || answers.push(JSON.parse(String(text))));
    return socket;
  };
  /** Text messages that have arrived on a socket and were not taken yet. */
  const texts = new WeakMap<WebSocket, unknown[]>();
  const answerTo = async (socket: WebSocket, message: object) => {
    socket.send(JSON.stringify(message));
    return await nextText(socket);
  };
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect answers of every shape.
  const nextText = async (socket: WebSocket): Promise<any> => {
    const answers = texts.get(socket) ?? [];
    while (answers.length === 0) await once(socket, 'message');
    return answers.shift();
  };
  /** Starts a service and collects its bytes until the socket closes. */
  const run = async (service: string) => {
    const socket = await open();
    let output = '';
    const ended = once(socket, 'close');
    socket.on('message', (bytes, isBinary) => {
      if (isBinary) output += String(bytes);
    });
    const answer = await answerTo(socket, { service });
    if (!answer.ok) await close(socket);
    const [code] = await ended;
    return { answer, output, code };
  };
  const codeOf = async (socket: WebSocket) => {
    const [code, reason] = await once(socket, 'close');
    return [code, String(reason)];
  };

  it('only who leases the phone or owns its session gets a ticket (contract 16.2)', async () => {
    expect((await askTicket(holder.as)).body).toEqual({ ticket: expect.any(String), expiresIn: 60 });
    expect((await askTicket(stranger.as)).body.error).toBe('device_not_yours');
    expect((await askTicket(world.root.as)).status).toBe(409);
    expect((await askTicket(holder.as, 'no-such-phone')).status).toBe(404);
    const { as } = await world.pair(holder.as, { scopes: ['read', 'sessions'] });
    expect((await askTicket(as)).body).toMatchObject({ error: 'insufficient_scope', required: 'devices' });
    expect((await askTicket({})).status).toBe(401);
  });

  it('a ticket is good for one connection to its phone, and no other kind of ticket is (contract 16.1)', async () => {
    const ticket = await ticketOf(holder.as);
    expect((await connectWith(ticket, 'adb-2')).status).toBe(401);
    const { socket } = await connectWith(ticket);
    expect((await connectWith(ticket)).status).toBe(401);
    const stream = await world.ok('POST', `/control/${PHONE}/stream/ticket`, { as: holder.as });
    expect((await connectWith(stream.ticket)).status).toBe(401);
    expect((await connectWith('')).status).toBe(401);
    await close(socket);
  });

  it('a socket carries one service, whose bytes arrive unchanged in both directions (contract 16.1)', async () => {
    expect(await run('shell:id')).toEqual({ answer: { ok: true }, output: 'uid=2000(shell)\n', code: 1000 });
    const socket = await open();
    expect(await answerTo(socket, { service: 'exec:cat' })).toEqual({ ok: true });
    const sent = Buffer.alloc(3_000_000, 7);
    let received = 0;
    const all = new Promise<void>((done) => {
      socket.on('message', (bytes: Buffer) => {
        received += bytes.length;
        if (received === sent.length) done();
      });
    });
    for (let at = 0; at < sent.length; at += 500_000) socket.send(sent.subarray(at, at + 500_000));
    await all;
    expect(await answerTo(socket, { service: 'shell:id' })).toMatchObject({ ok: false });
    await close(socket);
  });

  it('services that change the phone for others are refused with their name (contract 16.2)', async () => {
    for (const name of ['root', 'unroot', 'tcpip', 'usb', 'remount', 'reboot', 'sideload', 'backup']) {
      const { answer } = await run(`${name}:`);
      expect(answer).toEqual({ ok: false, message: expect.stringContaining(name) });
    }
    expect((await run('shell:reboot')).answer.ok).toBe(false);
    expect(adb.asked.filter((service) => /reboot|root:/.test(service))).toEqual([]);
  });

  it('a connection asks for further tickets and for the features of the phone (contract 16.1)', async () => {
    const socket = await open();
    const { ticket, expiresIn } = await answerTo(socket, { ticket: true });
    expect(expiresIn).toBe(60);
    const second = await connectWith(ticket);
    expect(second.status).toBe(101);
    const { about } = await answerTo(socket, { about: true });
    expect(about.features).toEqual(['shell_v2', 'cmd']);
    await close(second.socket);
    await close(socket);
  });

  it('a reverse reaches the machine of the holder and no port of the host (contract 16.2)', async () => {
    const victim = createServer().listen(0, '127.0.0.1');
    await once(victim, 'listening');
    let reached = 0;
    victim.on('connection', () => {
      reached += 1;
    });
    const { port } = victim.address() as { port: number };
    const socket = await open();
    const first = await answerTo(socket, { service: `reverse:forward:tcp:8081;tcp:${port}` });
    const both = [first, await nextText(socket)];
    expect(both).toContainEqual({ ok: true });
    const accept = both.map((each) => each.accept).find((id) => id !== undefined);
    const accepting = await open();
    const bytes: string[] = [];
    accepting.on('message', (chunk, isBinary) => isBinary && bytes.push(String(chunk)));
    const ended = once(accepting, 'close');
    expect(await answerTo(accepting, { accept })).toEqual({ ok: true });
    await ended;
    expect(bytes.join('')).toBe('from the phone');
    await close(socket);
    await until(
      async () => adb.asked,
      (asked) => asked.includes('reverse:killforward:tcp:8081'),
    );
    expect(reached).toBe(0);
    victim.close();
  });

  it('everything that is open ends within a second of the lease (contract 16.3)', async () => {
    const socket = await open();
    expect(await answerTo(socket, { service: 'shell:sleep 100' })).toEqual({ ok: true });
    const ended = codeOf(socket);
    const began = performance.now();
    await world.ok('DELETE', `/leases/${leaseId}`, { as: holder.as });
    expect(await ended).toEqual([1008, expect.stringContaining('lease')]);
    expect(performance.now() - began).toBeLessThan(1_500);
    await leaseAgain();
  });

  it('a revoked credential ends its connections (contract 16.3)', async () => {
    const { id, as } = await world.apiKey(world.root.as, { scopes: ['admin'] });
    await world.ok('DELETE', `/leases/${leaseId}`, { as: holder.as });
    const lease = await world.ok('POST', '/leases', { as, json: { udid: PHONE, minutes: 5 } });
    const socket = await open(as);
    await answerTo(socket, { service: 'shell:sleep 100' });
    const ended = codeOf(socket);
    await world.ok('DELETE', `/apikeys/${id}`, { as: world.root.as });
    expect((await ended)[0]).toBe(1008);
    await world.ok('DELETE', `/leases/${lease.leaseId}`, { as: world.root.as });
    await leaseAgain();
  });

  const CREDENTIAL_ENDS: Readonly<Record<string, (person: Person) => Promise<[Credentials, () => unknown]>>> =
    {
      'a sign-out': async ({ as }) => [as, () => world.ok('POST', '/auth/logout', { as })],
      'a new password': async ({ as, email, password }) => {
        const json = { oldPassword: password, newPassword: 'a new password of the holder' };
        const other = await world.signIn(email, password);
        return [as, () => world.ok('POST', '/auth/change-password', { as: other, json })];
      },
      'the stop of an agent': async ({ as }) => {
        const scopes = ['svc:devices:read', 'svc:devices:lock'];
        const agent = await world.bearer(as, { audience: 'svc-mcp', scopes });
        const stop = async () => {
          const [{ id }] = await world.ok('GET', '/agents', { as });
          await world.ok('DELETE', `/agents/${id}`, { as });
        };
        return [agent, stop];
      },
    };
  it.each(Object.keys(CREDENTIAL_ENDS))(
    '%s ends the sockets of the credential and its spare tickets (contract 16.3)',
    async (what) => {
      await world.ok('DELETE', `/leases/${leaseId}`, { as: holder.as });
      const person = await world.person();
      const lease = await world.ok('POST', '/leases', { as: person.as, json: { udid: PHONE, minutes: 5 } });
      const [as, end] = await (CREDENTIAL_ENDS[what] as (typeof CREDENTIAL_ENDS)[string])(person);
      const socket = await open(as);
      const spare = (await answerTo(socket, { ticket: true })).ticket;
      expect(await answerTo(socket, { service: 'shell:sleep 100' })).toEqual({ ok: true });
      const ended = codeOf(socket);
      const began = performance.now();
      await end();
      expect((await ended)[0]).toBe(1008);
      expect(performance.now() - began).toBeLessThan(1_500);
      expect((await connectWith(spare)).status).toBe(401);
      await world.ok('DELETE', `/leases/${lease.leaseId}`, { as: world.root.as });
      await leaseAgain();
    },
  );

  it('a use is listed, can be cut, and leaves rows in the audit trail without arguments (contract 16.3)', async () => {
    const socket = await open();
    await answerTo(socket, { service: 'shell:sleep secret-argument' });
    const [use] = await world.ok('GET', `/control/${PHONE}/adb/uses`, { as: world.root.as });
    expect(use).toMatchObject({ owner: { id: holder.id }, sockets: 1 });
    expect(await world.ok('GET', `/control/${PHONE}/adb/uses`, { as: stranger.as })).toEqual([]);
    const path = `/control/${PHONE}/adb/uses/${use.id}`;
    expect((await world.api('DELETE', path, { as: stranger.as })).status).toBe(404);
    const ended = codeOf(socket);
    await world.ok('DELETE', path, { as: world.root.as });
    expect((await ended)[0]).toBe(1008);
    const rows = await until(
      async () => (await world.ok('GET', '/audit?limit=200', { as: world.root.as })).items,
      (items: { event: string; reason: string }[]) =>
        items.some(({ event, reason }) => event === 'device_adb' && reason.includes('shell sleep')),
    );
    expect(JSON.stringify(rows)).not.toContain('secret-argument');
    expect(rows).toContainEqual(
      expect.objectContaining({ event: 'device_adb', actor: holder.id, target: PHONE, reason: 'connected' }),
    );
  });

  it('64 services of a phone can be open, and no more (contract 16.3)', async () => {
    const sockets = await Promise.all(
      Array.from({ length: 64 }, async () => {
        const socket = await open();
        await answerTo(socket, { service: 'shell:sleep 100' });
        return socket;
      }),
    );
    const next = await open();
    expect(await answerTo(next, { service: 'shell:id' })).toEqual({
      ok: false,
      message: expect.stringContaining('64'),
    });
    await Promise.all([...sockets, next].map(close));
  });

  it('a refused message of a socket that has a service lets it start no second one (contract 16.3)', async () => {
    const socket = await open();
    expect(await answerTo(socket, { service: 'shell:sleep 100' })).toEqual({ ok: true });
    for (const service of ['root:', 'shell:id', 'shell:second', 'shell:third'])
      expect(await answerTo(socket, { service })).toMatchObject({ ok: false });
    expect(await answerTo(socket, { accept: 'unknown' })).toMatchObject({ ok: false });
    expect(adb.asked).not.toContain('shell:second');
    await close(socket);
  });

  it('a socket gets one description at a time, so that a flood of requests opens one connection to adb (contract 16.3)', async () => {
    const socket = await open();
    const before = adb.asked.filter((service) => service.endsWith(':features')).length;
    for (let count = 0; count < 200; count++) socket.send('{"about":true}');
    const answers = [];
    while (answers.length < 200) answers.push(await nextText(socket));
    expect(answers.filter(({ about }) => about !== undefined).length).toBeGreaterThan(0);
    expect(answers.filter(({ ok }) => ok === false).length).toBeGreaterThan(0);
    const asked = adb.asked.filter((service) => service.endsWith(':features')).length - before;
    expect(asked).toBe(answers.filter(({ about }) => about !== undefined).length);
    await close(socket);
  });

  it('bytes that a slow phone has not taken are discarded when the lease ends (contract 16.3)', async () => {
    const socket = await open();
    expect(await answerTo(socket, { service: 'exec:slow' })).toEqual({ ok: true });
    for (let count = 0; count < 16; count++) socket.send(Buffer.alloc(1_000_000));
    const sent = async () =>
      (await world.ok('GET', `/control/${PHONE}/adb/uses`, { as: holder.as }))[0].toPhone as number;
    let before = 0;
    // The lab stops reading from the client while the phone does not read.
    await until(
      async () => {
        const earlier = before;
        before = await sent();
        return before > 1_000_000 && before === earlier;
      },
      (isWaiting) => isWaiting,
    );
    const ended = codeOf(socket);
    await world.ok('DELETE', `/leases/${leaseId}`, { as: holder.as });
    expect((await ended)[0]).toBe(1008);
    const [phone] = slowPhones as [Socket];
    let taken = 0;
    phone.on('data', ({ length }) => {
      taken += length;
    });
    phone.resume();
    await once(phone, 'close');
    expect(taken).toBeLessThan(before - 500_000);
    await leaseAgain();
  });

  it('bytes before a service and unknown messages close the socket', async () => {
    const first = await open();
    const ended = codeOf(first);
    first.send(Buffer.from([1]));
    expect((await ended)[0]).toBe(1008);
    const second = await open();
    const refused = codeOf(second);
    second.send('{"service":"shell:","more":1}');
    expect((await refused)[0]).toBe(1008);
  });
});
