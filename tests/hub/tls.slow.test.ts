import { writeFileSync } from 'node:fs';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { generate } from 'selfsigned';
import { afterAll, expect, it } from 'vitest';
import { freePort, freshDataDir } from '../support/lab.ts';
import { createSession, makePerson, pairOf } from '../support/sessions.ts';
import { bidi, close, upgrade } from '../support/web-socket.ts';
import { command, devicesOf, isThere, startHub, startNode, until } from './support/hub.ts';

const fronts: Server[] = [];
const open = new Set<Socket>();
afterAll(() => {
  for (const front of fronts) front.close();
});

/** Serves TLS in front of the server on `port`, like a reverse proxy. */
async function front(port: number, key: string, cert: string, at = 0): Promise<string> {
  const server = createServer({ key, cert }, (from) => {
    const to = connect(port, '127.0.0.1');
    open.add(from);
    from.on('error', () => to.destroy()).on('close', () => to.destroy());
    to.on('error', () => from.destroy()).on('close', () => from.destroy());
    from.pipe(to);
    to.pipe(from);
  });
  fronts.push(server);
  await new Promise<void>((listening) => server.listen(at, '127.0.0.1', listening));
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('hub and node speak by TLS of a private authority, and with nobody else (contract 8, HTTPS)', async () => {
  const made = await generate([{ name: 'commonName', value: 'svc test' }], {
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
    ],
  });
  const ca = join(freshDataDir(), 'ca.pem');
  writeFileSync(ca, made.cert);
  const hub = await startHub({ env: { SVC_NODE_TLS_CA: ca } });
  const toHub = { ...hub, url: await front(Number(new URL(hub.url).port), made.private, made.cert) };
  const [port, strangerPort] = [await freePort(), await freePort()];
  const url = await front(port, made.private, made.cert);
  await startNode(toHub, { prefix: 'safe', port, url, env: { SVC_NODE_TLS_CA: ca } });
  const stranger = await startNode(toHub, { prefix: 'stranger', port: strangerPort });
  await stranger.line(/The hub cannot be reached/);

  await until(() => devicesOf(hub, hub.admin), isThere('safe-1'));
  const ana = await makePerson(hub, hub.admin, 'ana@example.test');
  const { status, body } = await createSession(hub.url, pairOf(ana), {
    capabilities: { webSocketUrl: true },
  });
  expect(status, JSON.stringify(body)).toBe(200);
  const id = body.value.sessionId;
  expect((await command(hub.url, id, '/timeouts', ana.headers)).status).toBe(200);
  const opened = await upgrade(hub.url, `/bidi/${id}`, ana.headers);
  if (opened.socket === undefined) throw new Error(`not open: ${opened.status}`);
  expect(await bidi(opened.socket, 'session.status')).toMatchObject({ type: 'success' });
  await close(opened.socket);
  expect((await command(hub.url, id, '', ana.headers, 'DELETE')).status).toBe(200);
  expect((await devicesOf(hub, hub.admin)).map(({ udid }) => udid)).toEqual(['safe-1']);
});

it('a node that shows another TLS key is not spoken to, until an Admin removes it (contract 8, identity)', async () => {
  const authority = await generate([{ name: 'commonName', value: 'authority' }], {
    extensions: [{ name: 'basicConstraints', cA: true }],
  });
  const signed = () =>
    generate([{ name: 'commonName', value: 'node' }], {
      ca: { key: authority.private, cert: authority.cert },
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
    });
  const [one, other] = [await signed(), await signed()];
  const ca = join(freshDataDir(), 'ca.pem');
  writeFileSync(ca, authority.cert);
  const hub = await startHub({ env: { SVC_NODE_TLS_CA: ca } });
  const port = await freePort();
  const url = await front(port, one.private, one.cert);
  // The node connects to the hub without TLS.
  const node = await startNode(hub, { prefix: 'safe', port, url });
  await until(() => devicesOf(hub, hub.admin), isThere('safe-1'));
  const ana = await makePerson(hub, hub.admin, 'ana@example.test');
  const create = () => createSession(hub.url, pairOf(ana), {});
  const { body } = await create();
  expect((await command(hub.url, body.value.sessionId, '', ana.headers, 'DELETE')).status).toBe(200);
  const before = fronts.pop();
  before?.close();
  for (const each of open) each.destroy();
  await front(port, other.private, other.cert, Number(new URL(url).port));
  expect((await create()).status).toBe(503);
  await hub.line(/presents another TLS key than it registered with/);
  const name = encodeURIComponent(new URL(url).host);
  const removed = await hub.api(`/nodes/${name}`, { method: 'DELETE', headers: hub.nodeKey.headers });
  expect(removed.status).toBe(204);
  await until(
    async () => (await create()).status,
    (status) => status === 200,
    40_000,
  );
  await node.stop();
}, 90_000);
