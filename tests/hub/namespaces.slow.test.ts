import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDataDir, startLab } from '../support/lab.ts';
import { Network } from '../support/network.ts';
import { createSession, makePerson, type Person, pairOf } from '../support/sessions.ts';
import { bidi, upgrade } from '../support/web-socket.ts';
import { type CountedCommand, CountedCommands, runsIn } from './support/counted-commands.ts';
import { command, devicesOf, type Hub, isThere, startHub, until } from './support/hub.ts';
import { type NodeHost, startNodeHost } from './support/node-host.ts';

/**
 * A hub and three nodes on separate simulated machines: network namespaces on one bridge. Needs root and iproute2, like
 * tests/containers.
 */

const NAMES = ['cut', 'killed', 'slow'] as const;
type Name = (typeof NAMES)[number];
/** Longer than a retransmission, but shorter than a connection attempt. */
const CUT_MS = 4_000;
const SLOW_MS = 2_000;
const STRANGERS_FROM = 1_000_000;

let network: Network;
let hub: Hub;
let hosts: Readonly<Record<Name, NodeHost>>;
let ana: Person;
let bob: Person;
let mallory: Person;
/** Ana's and Bob's secrets, which must not leave the hub. */
const secrets: string[] = [];
const sessions: { readonly name: Name; readonly id: string }[] = [];
const commands = new CountedCommands(1);
const strangers = new CountedCommands(STRANGERS_FROM);
const dataDir = freshDataDir();
/** Period in which the hub was not running. */
const hubGone = { from: 0, to: 0 };

const hubOptions = () => ({
  dataDir,
  within: network.enter('hub'),
  env: {
    HOST: network.addressOf('hub'),
    PORT: '4723',
    SVC_LAB_DEVICES: '0',
    SVC_REQUIRE_COMMAND_AUTH: 'true',
    SVC_LOGIN_RATE_LIMIT_ATTEMPTS: '100',
  },
});

beforeAll(async () => {
  if (process.getuid?.() !== 0) throw new Error('network namespaces need root: run this file as root');
  network = new Network();
  network.add('hub');
  hub = await startHub(hubOptions());
  ana = await makePerson(hub, hub.admin, 'ana@example.test');
  bob = await makePerson(hub, hub.admin, 'bob@example.test');
  mallory = await makePerson(hub, hub.admin, 'mallory@example.test');
  const started = await Promise.all(NAMES.map((name) => startNodeHost(network, name, hub)));
  hosts = Object.fromEntries(NAMES.map((name, at) => [name, started[at]])) as Record<Name, NodeHost>;
  for (const name of NAMES) await until(() => devicesOf(hub, hub.admin), isThere(`${name}-2`));
}, 120_000);
afterAll(async () => {
  await Promise.all([commands.stop(), strangers.stop()]);
  await Promise.all([hub, ...Object.values(hosts ?? {})].map((each) => each?.stop()));
  network?.remove();
}, 60_000);

async function post<T>(path: string, headers: Record<string, string>, json: object): Promise<T> {
  const answer = await hub.api(path, { method: 'POST', headers, json });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

const bearerOf = async (person: Person, audience: string) => {
  const issued = await post<{ token: string; sessionToken?: string }>('/auth/token', person.headers, {
    audience,
  });
  secrets.push(issued.token);
  if (issued.sessionToken !== undefined) secrets.push(issued.sessionToken);
  return issued;
};

async function create(name: Name, udid: string, options: Record<string, string>): Promise<string> {
  const capabilities = { 'appium:udid': udid, 'appium:newCommandTimeout': 300, webSocketUrl: true };
  const headers = { ...ana.headers, cookie: ana.cookie };
  const { status, body } = await createSession(hub.url, options, { capabilities, headers });
  expect(status, JSON.stringify(body)).toBe(200);
  sessions.push({ name, id: body.value.sessionId });
  return body.value.sessionId;
}

const ofNode = (name: Name) => {
  const ids = sessions.filter((session) => session.name === name).map(({ id }) => id);
  return commands.all.filter(({ session }) => ids.includes(session));
};
const between = (all: readonly CountedCommand[], from: number, to: number) =>
  all.filter(({ sentAt }) => sentAt >= from && sentAt < to);
const isOver = ({ sentAt, endedAt }: CountedCommand) => endedAt > sentAt;
/** @returns the statuses of finished commands */
const statuses = (all: readonly CountedCommand[]) => [
  ...new Set(all.filter(isOver).map(({ status }) => status)),
];

/** Waits until each session of a node has responded to a command sent from now on. */
async function respondsAgain(names: readonly Name[]): Promise<void> {
  const from = performance.now();
  const ids = sessions.filter(({ name }) => names.includes(name)).map(({ id }) => id);
  await until(
    async () => commands.all.filter(({ sentAt, status }) => sentAt >= from && status === 200),
    (answered) => ids.every((id) => answered.some(({ session }) => session === id)),
  );
}

describe('a hub and three nodes on machines of their own (contract 8)', () => {
  it('sessions run on each, by a pair, a session token and a lease (contract 8.2)', async () => {
    const rest = await bearerOf(ana, 'svc-rest');
    const { sessionToken = '' } = await bearerOf(ana, 'svc-mcp');
    const lease = await post<{ leaseId: string; leaseToken: string }>(
      '/leases',
      { cookie: ana.cookie },
      {
        udid: 'slow-1',
        minutes: 5,
      },
    );
    for (const { accessKey, token, cookie } of [ana, bob])
      secrets.push(accessKey, token, cookie.split('=')[1] as string);
    secrets.push(lease.leaseToken);
    const { leaseId, leaseToken } = lease;
    for (const name of NAMES) {
      await create(name, `${name}-1`, {
        ...pairOf(ana),
        ...(name === 'slow' ? { leaseId, leaseToken } : {}),
      });
      await create(name, `${name}-2`, { sessionToken });
    }
    const bearer = { authorization: `Bearer ${rest.token}` };
    for (const [at, { id: session }] of sessions.entries()) {
      const headers = at % 2 === 0 ? ana.headers : bearer;
      commands.start({ url: hub.url, session, headers: () => ({ ...headers, cookie: ana.cookie }) });
    }
    const [first] = sessions;
    for (const headers of [{}, { ...bob.headers }, { cookie: ana.cookie }])
      strangers.start({ url: hub.url, session: first?.id ?? '', headers: () => headers });
    for (const name of NAMES) {
      const [own, other] = sessions.filter((session) => session.name === name).map(({ id }) => id);
      const { url } = hosts[name];
      for (const headers of [
        () => ({}),
        () => mallory.headers,
        () => ({ 'x-svc-hub-token': hubTokenOf(hosts[name], other as string) }),
      ])
        strangers.start({ url, session: own as string, headers });
    }
    await respondsAgain(NAMES);
  });

  it('a node is cut off and heals: its commands are answered again, the others never notice (contract 8.4)', async () => {
    const from = performance.now();
    network.cut('cut');
    await new Promise((later) => setTimeout(later, CUT_MS));
    network.heal('cut');
    const healed = performance.now();
    await respondsAgain(NAMES);
    for (const name of ['killed', 'slow'] as const) {
      const meanwhile = between(ofNode(name), from, healed);
      expect(meanwhile.length).toBeGreaterThan(0);
      expect(statuses(meanwhile)).toEqual([200]);
    }
    expect(statuses(between(ofNode('cut'), from, healed))).toEqual([200]);
  });

  it('a slow link makes its own sessions slow, and no others (contract 8.2)', async () => {
    const { id } = sessions.find(({ name }) => name === 'slow') as { id: string };
    const socket = (await upgrade(hub.url, `/bidi/${id}`, ana.headers)).socket;
    if (socket === undefined) throw new Error('no socket');
    hosts.slow.toggleSlow();
    const from = performance.now();
    await new Promise((later) => setTimeout(later, SLOW_MS));
    expect(await bidi(socket, 'session.status')).toMatchObject({ type: 'success' });
    const to = performance.now();
    hosts.slow.toggleSlow();
    socket.terminate();
    await respondsAgain(NAMES);
    const slow = between(ofNode('slow'), from, to);
    expect(statuses(slow)).toEqual([200]);
    const others = between([...ofNode('killed'), ...ofNode('cut')], from, to);
    expect(others.length).toBeGreaterThan(slow.length);
    expect(statuses(others)).toEqual([200]);
  });

  it('the hub is killed and started again: every session goes on (contract 8.4)', async () => {
    hubGone.from = performance.now();
    await hub.stop('SIGKILL');
    const again = await startLab(hubOptions());
    hubGone.to = performance.now();
    hub = { ...hub, ...again };
    await respondsAgain(NAMES);
    expect(statuses(between(commands.all, hubGone.to, Number.POSITIVE_INFINITY))).toEqual([200]);
  });

  it('a node is killed: a 503 names it, the others go on (contract 8.4)', async () => {
    const from = performance.now();
    await hosts.killed.kill();
    const killed = performance.now();
    await respondsAgain(['cut', 'slow']);
    const { id } = sessions.find(({ name }) => name === 'killed') as { id: string };
    const { status, body } = await command(hub.url, id, '/timeouts', ana.headers);
    expect([status, body]).toMatchObject([
      503,
      { value: { error: 'unknown error', message: expect.stringContaining(hosts.killed.name) } },
    ]);
    await until(
      async () => between(ofNode('killed'), killed, Number.POSITIVE_INFINITY),
      (all) => all.some(isOver),
    );
    const others = between([...ofNode('cut'), ...ofNode('slow')], from, performance.now());
    expect(statuses(others)).toEqual([200]);
  });

  it('no command is lost, run twice, or let through for a stranger (contract 8.4)', async () => {
    await Promise.all([commands.stop(), strangers.stop()]);
    const runs = runsIn(NAMES.map((name) => hosts[name].node.output()));
    const lost = commands.all.filter(
      ({ number, status, sentAt, endedAt }) =>
        (status === 200 && runs.get(number) !== 1) ||
        (status === null && (endedAt < hubGone.from || sentAt > hubGone.to)),
    );
    const doubled = [...runs].filter(([, times]) => times > 1);
    const letThrough = strangers.all.filter(({ number, status }) => runs.has(number) || status === 200);
    const unexpected = commands.all.filter(({ status }) => ![200, 503, null].includes(status));
    expect({ lost, doubled, letThrough, unexpected }).toEqual({
      lost: [],
      doubled: [],
      letThrough: [],
      unexpected: [],
    });
    expect(commands.all.filter(({ status }) => status === 200).length).toBeGreaterThan(100);
    expect(strangers.all.filter(({ status }) => status === 404).length).toBeGreaterThan(100);
    for (const { name, id } of sessions.filter(({ name }) => name !== 'killed'))
      expect([name, (await command(hub.url, id, '', ana.headers, 'DELETE')).status]).toEqual([name, 200]);
  });

  it('nothing a client proves itself with has come to a node, or into what it writes (contract 8.2)', async () => {
    await Promise.all([hosts.cut, hosts.slow].map((host) => host.stop()));
    for (const name of NAMES) {
      const received = hosts[name].received();
      const text = Buffer.concat(received).toString('latin1');
      for (const { id } of sessions.filter((session) => session.name === name))
        expect(text).toContain(`/session/${id}/timeouts`);
      expect(text).toContain('x-svc-hub-token: ');
      for (const part of [...received, ...hosts[name].written()])
        for (const secret of secrets) expect(part.includes(secret), `${name}: ${secret}`).toBe(false);
      expect(text).not.toMatch(/\r\n(?:cookie|authorization):/i);
    }
    expect(secrets).toHaveLength(10);
  });
});

const hubTokens = new Map<string, string>();

/** @returns a token that the hub sent to the node for the session */
function hubTokenOf(host: NodeHost, session: string): string {
  const request = new RegExp(`/session/${session}/[^]*?\\r\\nx-svc-hub-token: (\\S+)\\r\\n`, 'i');
  for (const part of hubTokens.has(session) ? [] : host.received()) {
    const found = request.exec(part.toString('latin1'))?.[1];
    if (found !== undefined) hubTokens.set(session, found);
  }
  return hubTokens.get(session) ?? 'none yet';
}
