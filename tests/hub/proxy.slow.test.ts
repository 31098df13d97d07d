import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { freePort } from '../support/lab.ts';
import { createSession, makePerson, pairOf } from '../support/sessions.ts';
import { bidi, close, upgrade } from '../support/web-socket.ts';
import { command, devicesOf, isThere, startHub, startNode, until } from './support/hub.ts';

let proxy: Server;
afterAll(() => {
  proxy?.closeAllConnections();
  proxy?.close();
});

/** Starts a proxy. Only this proxy can resolve the names of the hosts, which are all this machine. */
async function startProxy(authorization: string) {
  const asked: string[] = [];
  proxy = createServer((_req, res) => void res.writeHead(405).end());
  proxy.on('connect', (req: IncomingMessage, socket: Socket) => {
    socket.on('error', () => undefined);
    if (req.headers['proxy-authorization'] !== authorization)
      return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    asked.push(req.url ?? '');
    const to = connect(Number(req.url?.split(':').at(-1)), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(to).pipe(socket);
    });
    to.on('error', () => socket.destroy());
    socket.on('close', () => to.destroy());
  });
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
  return { asked, address: `127.0.0.1:${(proxy.address() as AddressInfo).port}` };
}

it('hub and node reach each other by a proxy alone: commands, sockets and previews (specification 9.2 from 2.16)', async () => {
  const { asked, address } = await startProxy(`Basic ${Buffer.from('lab:pa ss').toString('base64')}`);
  const env = { SVC_PROXY: `http://lab:pa%20ss@${address}` };
  const hub = await startHub({ env });
  const port = await freePort();
  const ofHub = `hub.invalid:${new URL(hub.url).port}`;
  const ofNode = `node.invalid:${port}`;
  const node = await startNode(
    { ...hub, url: `http://${ofHub}` },
    { prefix: 'far', port, url: `http://${ofNode}`, env },
  );
  await until(() => devicesOf(hub, hub.admin), isThere('far-1'));
  const ana = await makePerson(hub, hub.admin, 'ana@example.test');
  const { status, body } = await createSession(hub.url, pairOf(ana), {
    capabilities: { webSocketUrl: true },
  });
  expect(status, JSON.stringify(body)).toBe(200);
  const id = body.value.sessionId;
  expect((await command(hub.url, id, '/timeouts', ana.headers)).status).toBe(200);
  const { socket } = await upgrade(hub.url, `/bidi/${id}`, ana.headers);
  if (socket === undefined) throw new Error('not open');
  expect(await bidi(socket, 'session.status')).toMatchObject({ type: 'success' });
  await close(socket);

  const ticketed = async (what: string) => {
    const asking = await hub.api('/control/far-1/stream/ticket', {
      method: 'POST',
      headers: { cookie: ana.cookie },
    });
    return `/svc/api/control/far-1${what}?ticket=${((await asking.json()) as { ticket: string }).ticket}`;
  };
  const preview = await fetch(`${hub.url}${await ticketed('/stream')}`);
  const picture = (await preview.body?.getReader().read())?.value ?? new Uint8Array();
  expect([preview.status, picture.length > 0]).toEqual([200, true]);
  const lines = await upgrade(hub.url, await ticketed('/logs'));
  expect(lines.status).toBe(101);
  await close(lines.socket);
  const typed = await hub.api('/control/far-1/text', {
    method: 'POST',
    headers: { cookie: ana.cookie },
    json: { text: 'x' },
  });
  expect(typed.status).toBe(204);
  expect((await command(hub.url, id, '', ana.headers, 'DELETE')).status).toBe(200);
  expect([...new Set(asked)].sort()).toEqual([ofHub, ofNode].sort());
  for (const { output } of [hub, node]) expect(output()).not.toMatch(/pa%20ss|pa ss/);
}, 60_000);

it('sessions of a hub go on at a node whose own sign-in is off (specification 5.12)', async () => {
  const hub = await startHub();
  const node = await startNode(hub, { prefix: 'far', env: { SVC_AUTH_DISABLED: 'true' } });
  await until(() => devicesOf(hub, hub.admin), isThere('far-1'));
  const ana = await makePerson(hub, hub.admin, 'ana@example.test');
  const { status, body } = await createSession(hub.url, pairOf(ana), {});
  expect(status, JSON.stringify(body)).toBe(200);
  const id = body.value.sessionId;
  // Waits for two reports that name the node.
  const seen = async () =>
    (await (await hub.api('/nodes', { headers: hub.nodeKey.headers })).json()) as { lastSeenAt: string }[];
  const first = (await seen())[0]?.lastSeenAt;
  const second = await until(seen, ([row]) => row?.lastSeenAt !== first);
  await until(seen, ([row]) => row?.lastSeenAt !== second[0]?.lastSeenAt);
  expect((await command(hub.url, id, '/timeouts', ana.headers)).status).toBe(200);
  expect((await command(node.url, id, '/timeouts', ana.headers)).status).toBe(404);
  expect((await command(hub.url, id, '', ana.headers, 'DELETE')).status).toBe(200);
}, 90_000);
