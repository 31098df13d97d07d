import { readdirSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SvcClient } from '@svc/client';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Camera, startCamera } from '../streams/camera.ts';
import { EventStream, eventsTicket } from '../support/event-stream.ts';
import { freePort, type RunningServer, request } from '../support/lab.ts';
import { logOf } from '../support/records.ts';
import { createSession, makePerson, type Person, pairOf } from '../support/sessions.ts';
import { close, upgrade } from '../support/web-socket.ts';
import { command, devicesOf, type Hub, isThere, startHub, startNode, until } from './support/hub.ts';
import { type Recorder, startRecorder } from './support/recorder.ts';

const preload = fileURLToPath(new URL('../appium/downloading-driver.mjs', import.meta.url));
const APP = '<app title="From the library"><note>library note</note></app>';
const TYPED = 'typed-secret-4711';

let camera: Camera;
let hub: Hub;
let node: RunningServer;
let recorder: Recorder;
let ana: Person;
let bob: Person;
const tickets: string[] = [];

beforeAll(async () => {
  camera = await startCamera();
  const { mjpegUrl, h264Url } = camera;
  const listed = [
    { udid: 'camera', name: 'Camera', platform: 'Android', osVersion: '14', mjpegUrl, h264Url },
  ];
  const port = await freePort();
  recorder = await startRecorder(port);
  hub = await startHub();
  node = await startNode(hub, {
    prefix: 'far',
    port,
    url: recorder.url,
    env: {
      NODE_OPTIONS: `--import=${preload}`,
      SVC_DEVICES: JSON.stringify(listed),
      SVC_LAB_LOG_LEVEL: 'debug',
    },
  });
  ana = await makePerson(hub, hub.admin, 'ana@example.test');
  bob = await makePerson(hub, hub.admin, 'bob@example.test');
  await until(() => devicesOf(hub, hub.admin), isThere('far-1'));
});
afterAll(() => {
  recorder?.close();
  camera?.close();
});

const asAna = () => ({ cookie: ana.cookie });

async function ticketOf(udid: string): Promise<string> {
  const answer = await hub.api(`/control/${udid}/stream/ticket`, { method: 'POST', headers: asAna() });
  const { ticket } = (await answer.json()) as { ticket: string };
  tickets.push(ticket);
  return ticket;
}

const pathOf = (udid: string, what: string, ticket?: string) =>
  `/svc/api/control/${udid}${what}${ticket === undefined ? '' : `?ticket=${ticket}`}`;

async function createFar(capabilities = {}) {
  const options = { capabilities: { 'appium:udid': 'far-1', ...capabilities } };
  return await createSession(hub.url, pairOf(ana), options);
}

interface Watching {
  readonly status: number;
  text(): string;
  readonly over: Promise<void>;
  stop(): void;
}

function watch(url: string, path: string, headers: Record<string, string> = {}): Promise<Watching> {
  return new Promise((done, failed) => {
    const asked = get(`${url}${path}`, { agent: false, headers }, (response) => {
      let text = '';
      response.setEncoding('latin1').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', () => undefined);
      const over = new Promise<void>((ended) => void response.once('close', ended));
      done({ status: response.statusCode ?? 0, text: () => text, over, stop: () => asked.destroy() });
    });
    asked.once('error', failed);
  });
}

const shown = (watching: Watching, what: string) =>
  until(
    async () => watching.text(),
    (text) => text.includes(what),
  );

/** @returns the tokens for streams and inputs that the hub sent to the node */
function controlTokens() {
  const found = recorder
    .received()
    .toString('latin1')
    .matchAll(/\r\nx-svc-hub-token: (\S+)\r\n/gi);
  return [...new Set([...found].map(([, text]) => text as string))]
    .map((text) => ({ text, ...(decodeJwt(text) as Record<string, unknown>) }) as Record<string, unknown>)
    .filter(({ aud }) => aud === 'svc-node-control');
}

describe("a node's phone, looked at through the hub (contract 2 /control, 8)", () => {
  it("a node's phone has its preview at the hub: one of the node for all viewers, by ticket of the hub (contract 2 /control, 8)", async () => {
    const viewers = [];
    for (let index = 0; index < 3; index++)
      viewers.push(await watch(hub.url, pathOf('camera', '/stream', await ticketOf('camera'))));
    await until(
      async () => camera.open.size,
      (open) => open > 0,
    );
    camera.show('a picture');
    for (const viewer of viewers) await shown(viewer, 'a picture');
    expect([camera.opened(), controlTokens().filter(({ act }) => act === 'frames').length]).toEqual([1, 1]);
    for (const viewer of viewers) viewer.stop();
    const drawn = await watch(hub.url, pathOf('far-1', '/stream', await ticketOf('far-1')));
    await shown(drawn, 'JFIF');
    drawn.stop();
    const spent = await watch(hub.url, pathOf('camera', '/stream', tickets[0]));
    expect(spent.status).toBe(401);
    await until(
      async () => camera.open.size,
      (open) => open === 0,
    );
  });

  it("a node's phone has its video and its log lines at the hub (contract 2 /control, 8)", async () => {
    const video = await upgrade(hub.url, pathOf('camera', '/stream/h264', await ticketOf('camera')));
    expect(video.status).toBe(101);
    const frame = await new Promise((got) =>
      video.socket?.once('message', (content: Buffer, isBinary: boolean) => got([isBinary, [...content]])),
    );
    expect(frame).toEqual([true, [0, 0, 0, 1, 0x67]]);
    await close(video.socket);
    await until(
      async () => camera.videoViewers(),
      (viewers) => viewers === 0,
    );
    const lines = await upgrade(hub.url, pathOf('far-1', '/logs', await ticketOf('far-1')));
    const line = await new Promise<string>((got) =>
      lines.socket?.on('message', (text: Buffer) => /tick/.test(String(text)) && got(String(text))),
    );
    expect(line).toMatch(/tick \d/);
    await close(lines.socket);
  });

  it("a node's phone has no source at the hub that the node does not have: the ticket is not spent (contract 2 /control, 8)", async () => {
    const ticket = await ticketOf('far-1');
    expect((await upgrade(hub.url, pathOf('far-1', '/stream/h264', ticket))).status).toBe(404);
    const seen = await watch(hub.url, pathOf('far-1', '/stream', ticket));
    expect(seen.status).toBe(200);
    seen.stop();
  });
});

describe('typing and clipboard (contract 2 /control, 8)', () => {
  it("typing and clipboard reach a node's phone through its session, for who may drive it, and are seen in no log (contract 2 /control, 8)", async () => {
    const put = (what: string, headers: Record<string, string>, json: object) =>
      hub.api(`/control/far-1/${what}`, { method: 'POST', headers, json });
    expect((await put('text', asAna(), { text: TYPED })).status).toBe(409);
    const lines = await upgrade(hub.url, pathOf('far-1', '/logs', await ticketOf('far-1')));
    const received: string[] = [];
    lines.socket?.on('message', (text: Buffer) => void received.push(String(text)));
    const { body } = await createFar();
    const id = body.value.sessionId;
    expect((await put('text', asAna(), { text: TYPED })).status).toBe(204);
    expect((await put('clipboard', asAna(), { content: TYPED })).status).toBe(204);
    expect((await put('tap', asAna(), { x: 0.5, y: 0.25 })).status).toBe(204);
    expect((await put('text', { cookie: bob.cookie }, { text: TYPED })).status).toBe(409);
    await until(
      async () => received.join('\n'),
      (text) => text.includes(`text of ${TYPED.length} characters`) && text.includes('clipboard of '),
    );
    await close(lines.socket);
    const rows = await logOf(hub, ana.headers, id);
    expect(rows.map(({ path, status }) => `${status} ${path}`)).toEqual(
      expect.arrayContaining(['204 /svc/api/control/far-1/text', '204 /svc/api/control/far-1/clipboard']),
    );
    expect(JSON.stringify(rows)).not.toContain(TYPED);
    for (const { output } of [hub, node]) expect(output()).not.toContain(TYPED);
    for (const { act, sid, udid, iat, exp } of controlTokens()) {
      expect(Number(exp) - Number(iat)).toBe(60);
      expect(['far-1', 'camera']).toContain(udid);
      expect(sid).toBe(['text', 'clipboard', 'tap'].includes(String(act)) ? id : undefined);
    }
    expect((await command(hub.url, id, '', ana.headers, 'DELETE')).status).toBe(200);
  });
});

describe('live events (specification 6)', () => {
  it('live events of a session on a node come from the hub, its commands included (specification 6)', async () => {
    const ticket = await eventsTicket(hub.url, asAna());
    const { socket } = await upgrade(hub.url, `/svc/api/events?ticket=${ticket}`);
    if (socket === undefined) throw new Error('not open');
    const events = new EventStream(socket);
    const { body } = await createFar();
    const id = body.value.sessionId;
    await command(hub.url, id, '/timeouts', ana.headers);
    await events.until(
      ({ type, payload }) => type === 'session_started' && JSON.stringify(payload).includes(id),
    );
    await events.until(
      ({ type, payload }) => type === 'session_command' && JSON.stringify(payload).includes(id),
    );
    await command(hub.url, id, '', ana.headers, 'DELETE');
    await events.until(
      ({ type, payload }) => type === 'session_ended' && JSON.stringify(payload).includes(id),
    );
    await events.close();
  });
});

describe('a library app of the hub (contract 2 /apps, specification 5.8.2)', () => {
  it("a library app of the hub is fetched from the hub by the driver of a node's phone, once; its address stays unknown (contract 2 /apps, specification 5.8.2)", async () => {
    const client = new SvcClient({ url: hub.url, credential: { cookie: hub.admin } });
    const app = `svc:app/${(await client.uploadApp(new Blob([APP]), 'library.xml')).id}`;
    const { status, body } = await createFar({ 'appium:app': app });
    expect(status, JSON.stringify(body)).toBe(200);
    const id = body.value.sessionId;
    expect(body.value.capabilities).toMatchObject({ app });
    expect(JSON.stringify((await command(hub.url, id, '/source', ana.headers)).body)).toContain(
      'library note',
    );
    expect((await command(hub.url, id, '', ana.headers)).body).toMatchObject({ value: { app } });
    expect(await (await hub.api(`/session/${id}`, { headers: asAna() })).json()).toMatchObject({
      capabilities: { app },
    });
    await command(hub.url, id, '', ana.headers, 'DELETE');
    const failed = await createFar({ 'appium:app': app, 'appium:fullReset': true });
    expect([failed.status, failed.body.value]).toMatchObject([
      500,
      { message: expect.stringContaining(app) },
    ]);
    expect(JSON.stringify(failed.body)).not.toContain('ticket=');
    for (const lab of [hub, node]) expect(remains(lab)).not.toMatch(/ticket=ey/);
  });
});

describe('a node (contract 8.3)', () => {
  const token = (act: string) => String(controlTokens().find((each) => each.act === act)?.text);
  const hubToken = (text: string) => ({ 'x-svc-hub-token': text });

  it('a node takes a token once, for its phone and action; a ticket or credential of the hub it does not know (contract 8.3)', async () => {
    for (const act of ['frames', 'video', 'lines', 'text', 'clipboard']) expect(token(act)).toMatch(/^ey/);
    for (const text of [token('frames'), token('lines'), 'x', '']) {
      expect((await watch(node.url, pathOf('far-1', '/stream'), hubToken(text))).status).toBe(401);
      expect((await upgrade(node.url, pathOf('far-1', '/logs'), hubToken(text))).status).toBe(401);
      const typed = await request(`${node.url}${pathOf('far-1', '/text')}`, {
        method: 'POST',
        headers: { origin: node.url, ...hubToken(text) },
        json: { text: 'x' },
      });
      expect([typed.status, await typed.json()]).toMatchObject([401, { error: 'invalid token' }]);
    }
    const own = await watch(node.url, pathOf('far-1', '/stream', await ticketOf('far-1')));
    expect(own.status).toBe(401);
  });

  it("a node was sent no ticket and no client's secret (contract 8.3)", () => {
    const received = recorder.received().toString('latin1');
    for (const secret of [...tickets, ana.token, ana.accessKey, ana.cookie.split('=')[1] as string]) {
      expect(received.includes(secret)).toBe(false);
      expect(remains(node).includes(secret)).toBe(false);
    }
    expect(received).not.toMatch(/\r\n(?:cookie|authorization|x-svc-token|x-svc-access-key):/i);
  });
});

/** @returns everything that the server wrote, to its output and its files */
function remains(lab: RunningServer): string {
  const files = readdirSync(lab.dataDir, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return [
    lab.output(),
    ...files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1')),
  ].join();
}
