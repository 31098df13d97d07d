import { readdirSync, readFileSync } from 'node:fs';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSession, makePerson, type Person, pairOf } from '../support/sessions.ts';
import { command, type Hub, startHub, until } from './support/hub.ts';
import { json, type StandInNode, startStandInNode } from './support/stand-in-node.ts';

/** Tests a hub between clients and nodes that disappear, hang or are slow. */

const MIB = 1024 * 1024;

let hub: Hub;
let node: StandInNode;
let ana: Person;

beforeAll(async () => {
  hub = await startHub({ env: { SVC_MAX_CONNECTIONS_PER_ADDRESS: '0' } });
  ana = await makePerson(hub, hub.admin, 'ana@example.test');
  node = await startStandInNode(hub, { udids: ['far-1', 'far-2'] });
});
afterAll(() => node?.close());

async function created(capabilities: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await createSession(hub.url, pairOf(ana), { capabilities });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.value.sessionId;
}
const end = (id: string) => command(hub.url, id, '', ana.headers, 'DELETE');

/** A client that reads its response only when the test lets it. */
interface Reader {
  /** Resolves when the first bytes of the response have arrived. */
  readonly begun: Promise<IncomingMessage>;
  readonly ended: Promise<'complete' | 'cut off'>;
  size(): number;
  resume(): void;
  destroy(): void;
}

function ask(path: string): Reader {
  let size = 0;
  const asking: ClientRequest = httpRequest(`${hub.url}${path}`, { headers: ana.headers, agent: false });
  const begun = new Promise<IncomingMessage>((done) => asking.once('response', done));
  const ended = new Promise<'complete' | 'cut off'>((done) => {
    asking.once('error', () => done('cut off'));
    asking.once('response', (answer) => {
      answer.once('error', () => done('cut off'));
      answer.once('close', () => done(answer.complete ? 'complete' : 'cut off'));
    });
  });
  asking.end();
  const resume = () =>
    void begun.then((answer) =>
      answer.on('data', (chunk: Buffer) => {
        size += chunk.length;
      }),
    );
  return { begun, ended, size: () => size, resume, destroy: () => asking.destroy() };
}

/** Waits until the value no longer grows. */
async function settled(value: () => number): Promise<number> {
  let [before, times] = [-1, 0];
  await until(
    async () => value(),
    (now) => {
      times = now === before ? times + 1 : 0;
      before = now;
      return times > 10;
    },
  );
  return before;
}

const openFiles = () => readdirSync(`/proc/${hub.child.pid}/fd`).length;
const residentMebibytes = () =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${hub.child.pid}/status`, 'utf8'))?.[1]) / 1024;

describe('whoever vanishes', () => {
  it('a client that leaves while it waits takes its connection to the node along (contract 8)', async () => {
    const id = await created();
    node.onCommand(() => undefined);
    const waiting = Array.from({ length: 200 }, () => ask(`/session/${id}/timeouts`));
    await until(
      async () => node.sockets.size,
      (open) => open >= 16,
    );
    for (const { destroy } of waiting) destroy();
    await until(
      async () => node.sockets.size,
      (open) => open <= 8,
    );
    node.onCommand(undefined);
    await end(id);
  });

  it('a client or node that leaves in the middle of an answer leaves nothing open, and no half answer counts as whole (contract 8)', async () => {
    const id = await created();
    const before = openFiles();
    node.onCommand(({ res }) => {
      res.writeHead(200, { 'content-type': 'application/json' });
      res.write('{"value":"');
    });
    const clients = Array.from({ length: 16 }, () => ask(`/session/${id}/source`));
    await Promise.all(clients.map(({ begun }) => begun));
    for (const { destroy } of clients.slice(0, 8)) destroy();
    for (const { resume } of clients.slice(8)) resume();
    node.vanish();
    expect(new Set(await Promise.all(clients.map(({ ended }) => ended)))).toEqual(new Set(['cut off']));
    await until(
      async () => openFiles(),
      (open) => open <= before + 8,
    );
    node.onCommand(undefined);
    expect((await command(hub.url, id, '/timeouts', ana.headers)).status).toBe(200);
    await end(id);
  });

  it('commands of clients that left while they waited for their turn are not sent later (contract 8)', async () => {
    const id = await created();
    node.onCommand(() => undefined);
    const before = node.received.length;
    const waiting = Array.from({ length: 16 }, () => ask(`/session/${id}/timeouts`));
    await until(
      async () => node.received.length - before,
      (count) => count === waiting.length,
    );
    const late = Array.from({ length: 50 }, () => ask(`/session/${id}/late`));
    for (const { destroy } of late) destroy();
    await Promise.all(late.map(({ ended }) => ended));
    node.onCommand(undefined);
    for (const { destroy } of waiting) destroy();
    expect((await command(hub.url, id, '/timeouts', ana.headers)).status).toBe(200);
    expect(node.received.filter(({ url }) => url.endsWith('/late'))).toEqual([]);
    await end(id);
  });
});

describe('whoever is slow', () => {
  it('commands of one session that are never answered hold up no other session of the node (contract 8)', async () => {
    const [stuck, other] = [await created(), await created()];
    const isStuck = ({ url }: { url: string }) => url.includes(stuck);
    node.onCommand((each) => isStuck(each) || json(each.res, 200, { value: null }));
    const waiting = Array.from({ length: 1_200 }, () => ask(`/session/${stuck}/timeouts`));
    await until(
      async () => node.received.filter(isStuck).length,
      (count) => count === 16,
    );
    expect((await command(hub.url, other, '/timeouts', ana.headers)).status).toBe(200);
    for (const { destroy } of waiting) destroy();
    node.onCommand(undefined);
    await Promise.all([end(stuck), end(other)]);
  });

  it('a client that reads a large answer slowly holds the node back, not the memory of the hub (contract 8)', async () => {
    const id = await created();
    const size = 300 * MIB;
    let written = 0;
    node.onCommand(({ res }) => {
      res.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': size });
      const piece = Buffer.alloc(MIB, 0x61);
      const more = (): void => {
        while (written < size) {
          written += piece.length;
          if (!res.write(piece)) {
            res.once('drain', more);
            return;
          }
        }
        res.end();
      };
      more();
    });
    const before = residentMebibytes();
    const reader = ask(`/session/${id}/screenshot`);
    await reader.begun;
    expect(await settled(() => written)).toBeLessThan(size / 4);
    expect(residentMebibytes() - before).toBeLessThan(64);
    reader.resume();
    expect(await reader.ended).toBe('complete');
    expect(reader.size()).toBe(size);
    node.onCommand(undefined);
    await end(id);
  });

  it('a node that reads a large body slowly holds the client back, not the memory of the hub (contract 8)', async () => {
    const id = await created();
    node.stall();
    const before = residentMebibytes();
    const size = 200 * MIB;
    let sent = 0;
    const asking = httpRequest(`${hub.url}/session/${id}/execute/async`, {
      method: 'POST',
      headers: { ...ana.headers, 'content-type': 'application/json', 'content-length': size },
    });
    asking.on('error', () => undefined);
    const piece = Buffer.alloc(MIB, 0x20);
    const more = (): void => {
      while (sent < size) {
        sent += piece.length;
        if (!asking.write(piece)) {
          asking.once('drain', more);
          return;
        }
      }
    };
    more();
    expect(await settled(() => sent)).toBeLessThan(size / 4);
    expect(residentMebibytes() - before).toBeLessThan(64);
    asking.destroy();
    await until(
      async () => node.sockets.size,
      (open) => open <= 8,
    );
  });
});
