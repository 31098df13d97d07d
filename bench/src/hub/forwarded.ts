import { Agent } from 'node:http';
import { type KeyPair, keyPairHeaders } from '@svc/client';
import { type Server, startServer } from '../child.ts';
import { freePort } from '../free-port.ts';
import { callerOf } from '../http-call.ts';
import { median } from '../load.ts';
import type { Report } from '../report/report.ts';
import { sized } from '../size.ts';
import { hubToken } from './hub-token.ts';
import { adminPair, type LabProcess, startLab } from './lab-process.ts';
import type { PassThroughInput } from './pass-through.ts';

const RESTARTS = sized({ short: 1, usual: 3, long: 9 });
const COMMANDS = sized({ short: 400, usual: 1500, long: 1500 });
/** Requests before the measurement, which would otherwise show the progress of the compiler. */
const WARM_UP = 3000;
const START_MS = 20_000;

const NAMES = ['bare', 'control', 'hub'] as const;
type Name = (typeof NAMES)[number];
type Ways = Readonly<Record<Name, () => Promise<number>>>;

const KINDS = {
  'GET, 1 at a time': { json: undefined, atOnce: 1 },
  'POST, 1 at a time': { json: { implicit: 1 }, atOnce: 1 },
  'GET, 4 at a time': { json: undefined, atOnce: 4 },
} as const;
type Kind = keyof typeof KINDS;

/** Result of one run: throughput relative to that of the pass-through. */
interface Ratios {
  readonly hub: number;
  readonly control: number;
}

/**
 * Measures a command through hub and node, compared with the same command through a bare pass-through in front of the
 * same node, and with a second pass-through as control. The three alternate strictly (contract 8).
 */
export async function forwardedBench(report: Report): Promise<void> {
  report.begin(
    'A command through a hub',
    'The same command through hub and node, and through a bare pass-through (undici) in front of the same node, with a second pass-through as control; they alternate strictly',
  );
  const measured = new Map<Kind, Ratios[]>();
  for (let restart = 0; restart < RESTARTS; restart++) {
    const hub = await startLab({ SVC_LAB_DEVICES: '0' });
    const pair = await adminPair(hub.url);
    const node = await startNode(hub, pair);
    const input: PassThroughInput = { to: node.url };
    const bare = await startServer('./hub/pass-through.js', input);
    const control = await startServer('./hub/pass-through.js', input);
    const sessionId = await createSession(hub, pair);
    const forNode = { 'x-svc-hub-token': await hubToken(hub, sessionId) };
    const agent = new Agent({ keepAlive: true });
    for (const [name, { json, atOnce }] of Object.entries(KINDS)) {
      const way = (url: string, headers: Record<string, string>) =>
        commandOf({ url, agent, path: `/session/${sessionId}/timeouts`, headers, json });
      const ways = {
        bare: way(bare.url, forNode),
        control: way(control.url, forNode),
        hub: way(hub.url, keyPairHeaders(pair)),
      };
      await alternate(ways, WARM_UP, atOnce);
      const ratios = ratiosOf(await alternate(ways, COMMANDS, atOnce));
      measured.set(name as Kind, [...(measured.get(name as Kind) ?? []), ratios]);
    }
    agent.destroy();
    await stopAll([hub, node], [bare, control]);
  }
  for (const [kind, ratios] of measured) {
    report.add({
      what: `pass-through again, ${kind} (control)`,
      values: ratios.map(({ control }) => control),
    });
    report.add({ what: `hub, ${kind}`, values: ratios.map(({ hub }) => hub), goal: { atLeast: 0.9 } });
  }
}

async function startNode(hub: LabProcess, pair: KeyPair): Promise<LabProcess> {
  const port = await freePort();
  return await startLab({
    PORT: String(port),
    SVC_LAB_DEVICES: '1',
    SVC_LAB_DEVICE_PREFIX: 'far',
    SVC_HUB_URL: hub.url,
    SVC_NODE_URL: `http://127.0.0.1:${port}`,
    SVC_NODE_ACCESS_KEY: pair.accessKey,
    SVC_NODE_TOKEN: pair.token,
  });
}

/** Tries again until the hub lists the node's phone. */
async function createSession({ url }: LabProcess, pair: KeyPair): Promise<string> {
  const { capabilities } = (await (await fetch(`${url}/svc/lab.json`)).json()) as { capabilities: object };
  const alwaysMatch = { ...capabilities, 'appium:newCommandTimeout': 0, 'svc:options': pair };
  const agent = new Agent();
  const call = callerOf(url, agent);
  for (const end = performance.now() + START_MS; ; ) {
    const { status, text } = await call('POST', '/session', { json: { capabilities: { alwaysMatch } } });
    if (status === 200) return JSON.parse(text).value.sessionId;
    if (performance.now() > end) throw new Error(`no session: ${status} ${text}`);
    await new Promise((later) => setTimeout(later, 100));
  }
}

interface Way {
  readonly url: string;
  readonly agent: Agent;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly json: object | undefined;
}

function commandOf({ url, agent, path, headers, json }: Way): () => Promise<number> {
  const call = callerOf(url, agent);
  const method = json === undefined ? 'GET' : 'POST';
  return async () => {
    const { took, status, text } = await call(method, path, { headers, json });
    if (status !== 200) throw new Error(`${url} responded ${status} ${text}`);
    return took;
  };
}

/**
 * Sends `count` commands on each way. At any time only one way is used, with `atOnce` commands in parallel.
 * @returns milliseconds per turn
 */
async function alternate(ways: Ways, count: number, atOnce: number): Promise<Record<Name, number[]>> {
  const times: Record<Name, number[]> = { bare: [], control: [], hub: [] };
  for (let turn = 0; turn * atOnce < count; turn++) {
    for (const at of NAMES.keys()) {
      const name = NAMES[(at + turn) % NAMES.length] as Name;
      const began = performance.now();
      await Promise.all(Array.from({ length: atOnce }, ways[name]));
      times[name].push(performance.now() - began);
    }
  }
  return times;
}

function ratiosOf(times: Record<Name, readonly number[]>): Ratios {
  const bare = median(times.bare);
  return { hub: bare / median(times.hub), control: bare / median(times.control) };
}

async function stopAll(labs: readonly LabProcess[], servers: readonly Server<unknown>[]): Promise<void> {
  await Promise.all([...servers, ...labs].map(({ stop }) => stop()));
}
