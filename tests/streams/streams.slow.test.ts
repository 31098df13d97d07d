import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { virtualPhones } from '@svc/lab/virtual-phones';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type WebSocket from 'ws';
import { openApp, type RunningApp } from '../support/app.ts';
import { freshDataDir, makeUser, request, signIn } from '../support/lab.ts';
import { until } from '../support/records.ts';
import { upgrade } from '../support/web-socket.ts';
import { type Camera, startCamera } from './camera.ts';

/** Open connections are checked every 14 s even if nothing has changed. */
const BEFORE_NEXT_CHECK_MS = 10_000;

let camera: Camera;
let dataDir: string;
let running: RunningApp;
let url: string;
let admin: string;
let ana: Awaited<ReturnType<typeof makeUser>>;

const open = async (env: Record<string, string> = {}) => {
  const { mjpegUrl, h264Url } = camera;
  const listed = [
    { udid: 'camera', name: 'Camera', platform: 'Android', osVersion: '14', mjpegUrl, h264Url },
  ];
  const phones = virtualPhones({ count: 2, prefix: 'virtual', clock: { now: Date.now } });
  running = await openApp(
    { SVC_DATA_DIR: dataDir, SVC_DEVICES: JSON.stringify(listed), ...env },
    { localLab: { sources: [phones], capabilities: {} } },
  );
  url = await running.app.listen({ port: 0, host: '127.0.0.1' });
};

beforeAll(async () => {
  camera = await startCamera();
  dataDir = freshDataDir();
  await open();
  admin = await signIn(url);
  ana = await makeUser(url, admin, { email: 'ana@example.org' });
});
afterAll(async () => {
  camera.close();
  await running?.close();
});

const api = (path: string, cookie: string, init: Parameters<typeof request>[1] = {}) =>
  request(`${url}/svc/api${path}`, { method: 'POST', ...init, headers: { cookie } });

async function ticketOf(udid: string, cookie = ana.cookie): Promise<string> {
  const answer = await api(`/control/${udid}/stream/ticket`, cookie);
  const body = (await answer.json()) as { ticket: string; expiresIn: number };
  expect({ status: answer.status, ...body }).toMatchObject({ status: 200, expiresIn: 60 });
  return body.ticket;
}

const pathOf = (udid: string, ticket: string | undefined, what = '/stream') =>
  `/svc/api/control/${udid}${what}${ticket === undefined ? '' : `?ticket=${ticket}`}`;

interface Watching {
  readonly status: number;
  readonly error?: string;
  readonly response: IncomingMessage;
  text(): string;
  readonly over: Promise<void>;
  stop(): void;
}

/** Starts a request whose response may be endless. */
function watch(udid: string, ticket?: string): Promise<Watching> {
  return new Promise((done, failed) => {
    const asked = get(`${url}${pathOf(udid, ticket)}`, { agent: false }, async (response) => {
      const status = response.statusCode ?? 0;
      let text = '';
      response.setEncoding('latin1').on('data', (chunk: string) => {
        text += chunk;
      });
      const over = new Promise<void>((ended) => void response.once('close', ended));
      response.on('error', () => undefined);
      if (status !== 200) await once(response, 'end');
      const error = status === 200 ? {} : { error: JSON.parse(text).error };
      done({ status, ...error, response, text: () => text, over, stop: () => asked.destroy() });
    });
    asked.once('error', failed);
  });
}

const socketTo = (udid: string, ticket: string | undefined, what: '/logs' | '/stream/h264') =>
  upgrade(url, pathOf(udid, ticket, what));
const closeOf = async (socket: WebSocket) => (await once(socket, 'close'))[0] as number;
const shown = (watching: Watching, what: string) =>
  until(
    async () => watching.text(),
    (text) => text.includes(what),
  );
const INVALID = { status: 401, error: 'invalid ticket' };

describe('stream tickets', () => {
  it('open one preview, once; for another phone or source they are not spent (contract 2 /control, specification 5.8.1)', async () => {
    const ticket = await ticketOf('virtual-1');
    expect(await watch('virtual-2', ticket)).toMatchObject(INVALID);
    expect(await watch('nobody', ticket)).toMatchObject(INVALID);
    expect(await watch('virtual-1')).toMatchObject(INVALID);
    expect(await watch('virtual-1', `${ticket}x`)).toMatchObject(INVALID);
    expect(await socketTo('virtual-1', ticket, '/stream/h264')).toMatchObject({ status: 404, body: '' });
    expect((await fetch(`${url}${pathOf('virtual-1', ticket)}`, { method: 'HEAD' })).status).toBe(200);
    const seen = await watch('virtual-1', ticket);
    expect(seen.response.headers).toMatchObject({
      'content-type': 'multipart/x-mixed-replace; boundary=frame',
      'cache-control': 'no-store',
      'x-request-id': expect.any(String),
    });
    await shown(seen, 'JFIF');
    expect(await watch('virtual-1', ticket)).toMatchObject(INVALID);
    expect(await socketTo('virtual-1', ticket, '/logs')).toMatchObject({ status: 401, body: '' });
    seen.stop();
  });

  it('stream tickets are issued for a phone the caller sees; unknown and hidden are alike (contract 2 /control, spec 4 stream ticket)', async () => {
    const team = (await (await api('/teams', admin, { json: { name: 'closed' } })).json()) as { id: string };
    const move = (teamId: string | null) =>
      api('/device/virtual-2/team', admin, { method: 'PUT', json: { teamId } });
    await move(team.id);
    const bodies = await Promise.all(
      ['virtual-2', 'nobody'].map(async (udid) => {
        const answer = await api(`/control/${udid}/stream/ticket`, ana.cookie);
        return `${answer.status} ${await answer.text()}`;
      }),
    );
    expect(bodies[0]).toBe(bodies[1]);
    expect(bodies[0]).toMatch(/^404 /);
    await move(null);
  });

  it('the streams of a phone are shown to callers who see it, and unknown and hidden phones look alike (contract 2 /control, contract 3.5)', async () => {
    const ask = async (udid: string) => {
      const answer = await api(`/control/${udid}/streams`, ana.cookie, { method: 'GET' });
      return `${answer.status} ${await answer.text()}`;
    };
    expect(await ask('camera')).toBe('200 {"mjpeg":true,"h264":true,"logs":false}');
    expect(await ask('virtual-1')).toBe('200 {"mjpeg":true,"h264":false,"logs":true}');
    const team = (await (await api('/teams', admin, { json: { name: 'hides' } })).json()) as { id: string };
    const move = (teamId: string | null) =>
      api('/device/camera/team', admin, { method: 'PUT', json: { teamId } });
    await move(team.id);
    expect(await ask('camera')).toBe(await ask('nobody'));
    expect(await ask('camera')).toMatch(/^404 /);
    await move(null);
  });

  it('one of 50 simultaneous requests with one ticket wins (contract 2 /control)', async () => {
    const ticket = await ticketOf('virtual-1');
    const all = await Promise.all(Array.from({ length: 50 }, () => watch('virtual-1', ticket)));
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(all.filter(({ error }) => error === 'invalid ticket')).toHaveLength(49);
    for (const each of all) each.stop();
  });

  it('shown twice in one address it is none (contract 2 /control)', async () => {
    const ticket = await ticketOf('virtual-1');
    expect(await watch('virtual-1', `${ticket}&ticket=${ticket}`)).toMatchObject(INVALID);
    const answer = await socketTo('virtual-1', `${ticket}&ticket=${ticket}`, '/logs');
    expect(answer).toMatchObject({ status: 401, body: '' });
  });

  it.each([
    ['an unknown version', { 'sec-websocket-version': '7' }],
    ['no key', { 'sec-websocket-key': '' }],
    ['a broken offer of protocols', { 'sec-websocket-protocol': 'a b' }],
    ['a body', { 'content-length': '4' }],
  ])('one shown in a handshake with %s is refused and not spent (contract 2 /control)', async (_, broken) => {
    const ticket = await ticketOf('virtual-1');
    const handshake = {
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      ...broken,
    };
    const headers = { connection: 'Upgrade', upgrade: 'websocket', ...handshake };
    const asked = get(`${url}${pathOf('virtual-1', ticket, '/logs')}`, { agent: false, headers });
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    expect([answer.statusCode, (await answer.toArray()).length]).toEqual([400, 0]);
    const { socket, status } = await socketTo('virtual-1', ticket, '/logs');
    expect(status).toBe(101);
    socket?.close();
  });

  it('single use holds across a restart, and so do tickets not used yet (contract 4)', async () => {
    const [used, unused] = [await ticketOf('virtual-1'), await ticketOf('virtual-1')];
    (await watch('virtual-1', used)).stop();
    await running.close();
    await open();
    expect(await watch('virtual-1', used)).toMatchObject(INVALID);
    const seen = await watch('virtual-1', unused);
    expect(seen.status).toBe(200);
    seen.stop();
  });

  it('stream tickets ask again when they are shown: user Active, credential good, phone visible (contract 2 /control)', async () => {
    const bob = await makeUser(url, admin, { email: 'bob@example.org' });
    const ticket = await ticketOf('virtual-1', bob.cookie);
    const another = await ticketOf('virtual-1', bob.cookie);
    await api('/auth/logout', bob.cookie);
    expect(await watch('virtual-1', ticket)).toMatchObject(INVALID);
    await api(`/users/${bob.id}`, admin, { method: 'PATCH', json: { status: 'Inactive' } });
    expect(await socketTo('virtual-1', another, '/logs')).toMatchObject({ status: 401 });
  });
});

describe('streams', () => {
  it('end when the right to the phone does (contract 2 /control)', async () => {
    const seen = await watch('virtual-2', await ticketOf('virtual-2'));
    const log = (await socketTo('virtual-2', await ticketOf('virtual-2'), '/logs')).socket as WebSocket;
    const [line] = (await once(log, 'message')) as [Buffer];
    expect(line.toString()).toMatch(/^\d{4}-.* tick 1$/);
    const closed = closeOf(log);
    const team = (await (await api('/teams', admin, { json: { name: 'taken' } })).json()) as { id: string };
    const began = performance.now();
    await api('/device/virtual-2/team', admin, { method: 'PUT', json: { teamId: team.id } });
    expect(await closed).toBe(1008);
    await seen.over;
    expect(performance.now() - began).toBeLessThan(BEFORE_NEXT_CHECK_MS);
    await api('/device/virtual-2/team', admin, { method: 'PUT', json: { teamId: null } });
  });

  it('end with the sign-in they were asked for with (contract 2 /control)', async () => {
    const cara = await makeUser(url, admin, { email: 'cara@example.org' });
    const seen = await watch('virtual-1', await ticketOf('virtual-1', cara.cookie));
    await shown(seen, 'JFIF');
    await api('/auth/logout', cara.cookie);
    await seen.over;
  });

  it('many viewers of a phone share one connection to it; a new one sees the latest picture at once', async () => {
    const before = camera.opened();
    const viewers = [];
    for (let i = 0; i < 4; i++) viewers.push(await watch('camera', await ticketOf('camera')));
    await until(
      async () => camera.open.size,
      (size) => size === 1,
    );
    camera.show('picture one');
    for (const viewer of viewers) await shown(viewer, 'picture one');
    const late = await watch('camera', await ticketOf('camera'));
    await shown(late, 'picture one');
    expect(camera.opened()).toBe(before + 1);
    // The phone's picture server closes the connection, and svc requests the stream again.
    for (const response of camera.open) response.destroy();
    await until(
      async () => [camera.opened(), camera.open.size],
      ([opened, size]) => opened === before + 2 && size === 1,
    );
    camera.show('picture two');
    for (const viewer of [...viewers, late]) await shown(viewer, 'picture two');
    for (const viewer of [...viewers, late]) viewer.stop();
  });

  it('H.264 frames are passed on as they are; a phone without log has none (contract 2 /control)', async () => {
    const ticket = await ticketOf('camera');
    expect(await socketTo('camera', ticket, '/logs')).toMatchObject({ status: 404 });
    const { socket } = await socketTo('camera', ticket, '/stream/h264');
    const [frame, isBinary] = (await once(socket as WebSocket, 'message')) as [Buffer, boolean];
    expect([[...frame], isBinary]).toEqual([[0, 0, 0, 1, 0x67], true]);
    socket?.close();
  });
});

describe('a viewer', () => {
  it('a viewer of a phone that is unplugged is disconnected: sockets with 1001, pictures by a cut (contract 2 /control)', async () => {
    const seen = await watch('camera', await ticketOf('camera'));
    await until(
      async () => camera.open.size,
      (size) => size === 1,
    );
    const video = (await socketTo('camera', await ticketOf('camera'), '/stream/h264')).socket as WebSocket;
    const log = (await socketTo('virtual-1', await ticketOf('virtual-1'), '/logs')).socket as WebSocket;
    const unused = await ticketOf('camera');
    const closed = Promise.all([closeOf(video), closeOf(log)]);
    const status = vi
      .spyOn(running.services.modules.lab.offers.lab.devices, 'statusOf')
      .mockReturnValue('away');
    const began = performance.now();
    expect(await closed).toEqual([1001, 1001]);
    await seen.over;
    expect(performance.now() - began).toBeLessThan(BEFORE_NEXT_CHECK_MS);
    expect(seen.response.complete).toBe(false);
    await until(
      async () => camera.open.size,
      (size) => size === 0,
    );
    expect(await watch('camera', unused)).toMatchObject({ status: 404, error: 'no_such_source' });
    // The phone is connected again, and the ticket has not been used up.
    status.mockRestore();
    const again = await watch('camera', unused);
    expect(again.status).toBe(200);
    again.stop();
  });

  it('a viewer who left before the answer takes no place and keeps no source open', async () => {
    const { tickets, modules } = running.services;
    const { streams, previews } = modules.previews.offers;
    const [check, keep] = [tickets.check.bind(tickets), streams.keep.bind(streams)];
    let kept = 0;
    let leave = () => {};
    const admitted = vi.spyOn(tickets, 'check').mockImplementation(async (...request) => {
      const checked = await check(...request);
      await new Promise<void>((left) => {
        leave = left;
      });
      return checked;
    });
    vi.spyOn(streams, 'keep').mockImplementation((...stream) => {
      const forget = keep(...stream);
      kept += 1;
      return () => {
        kept -= 1;
        forget();
      };
    });
    const watched = vi.spyOn(previews, 'watch');
    const { hostname, port } = new URL(url);
    const handshake =
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n';
    for (const [udid, what] of [
      ['camera', '/stream'],
      ['camera', '/stream/h264'],
      ['virtual-1', '/logs'],
    ] as const) {
      leave = () => {};
      const path = pathOf(udid, await ticketOf(udid), what);
      const accepted = once(running.app.server, 'connection') as Promise<[Socket]>;
      const socket = connect(Number(port), hostname);
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n${what === '/stream' ? '' : handshake}\r\n`,
      );
      const calls = admitted.mock.calls.length;
      await until(
        async () => admitted.mock.calls.length,
        (count) => count > calls,
      );
      const [theirs] = await accepted;
      const closed = once(theirs, 'close');
      socket.destroy();
      // Data of a WebSocket that is not open yet can be read only once the socket is open.
      if (what === '/stream') await closed;
      leave();
      await closed;
    }
    await until(
      async () => kept,
      (count) => count === 0,
    );
    expect(watched).not.toHaveBeenCalled();
    await until(
      async () => camera.videoViewers(),
      (count) => count === 0,
    );
    vi.restoreAllMocks();
  });
});

describe('with sign-in off', () => {
  it('the MJPEG preview needs no ticket, the two WebSockets still take one (specification 5.8.3, 5.12)', async () => {
    await running.close();
    await open({ SVC_AUTH_DISABLED: 'true' });
    const seen = await watch('virtual-1');
    await shown(seen, 'JFIF');
    seen.stop();
    expect(await watch('nobody')).toMatchObject({ status: 404, error: 'not_found' });
    expect(await socketTo('virtual-1', undefined, '/logs')).toMatchObject({ status: 401 });
    const { socket, status } = await socketTo('virtual-1', await ticketOf('virtual-1', ''), '/logs');
    expect(status).toBe(101);
    socket?.close();
  });
});
