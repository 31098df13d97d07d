import { existsSync, readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { type KeyPair, keyPairHeaders } from '@svc/client';
import { type Server, startServer } from '../child.ts';
import { type Call, callerOf } from '../http-call.ts';
import { median } from '../load.ts';
import type { Report } from '../report/report.ts';
import { sized } from '../size.ts';
import { adminPair, type LabProcess, startLab } from './lab-process.ts';
import type { StandInInput } from './stand-in-nodes.ts';

const NODES = 4;
const FEW = 10;
const MANY = 1000;
const ROUNDS = sized({ short: 4, usual: 10, long: 20 });
/** Commands to each hub in each round. */
const COMMANDS = 2000;
/** Earlier rounds, in which the sessions get their first commands. */
const WARM_ROUNDS = 4;
const AT_ONCE = 8;
/** The kernel counts processor time in these units. */
const TICK_US = 10_000;

/** A hub with its nodes and open sessions. */
interface HubInUse {
  readonly hub: LabProcess;
  readonly nodes: Server<unknown>;
  readonly agent: Agent;
  readonly call: Call;
  readonly pair: KeyPair;
  readonly open: readonly string[];
}

interface Figures {
  /** Median of milliseconds. */
  readonly took: number;
  /** Microseconds of the hub's processor time per command. */
  readonly cpu: number;
}

/**
 * Measures the cost of a command, and the memory of a hub, with 1,000 open sessions on 4 nodes compared with 10
 * sessions (contract 8).
 */
export async function manySessionsBench(report: Report): Promise<void> {
  report.begin(
    'Many sessions on a hub',
    `${MANY} open sessions over ${NODES} nodes against another hub with ${FEW}, ${AT_ONCE} commands at a time, to one hub after the other; the control is a second hub with ${FEW}`,
  );
  const few = await hubWith(FEW);
  const control = await hubWith(FEW);
  const many = await hubWith(MANY);
  const rounds: Record<'few' | 'control' | 'many', Figures>[] = [];
  for (let round = -WARM_ROUNDS; round < ROUNDS; round++) {
    const figures = { few: await ask(few), control: await ask(control), many: await ask(many) };
    if (round >= 0) rounds.push(figures);
  }
  for (const [what, of] of [
    ["a command's time", 'took'],
    ["the hub's processor time a command", 'cpu'],
  ] as const) {
    const ratios = (to: 'control' | 'many') => rounds.map((round) => round[to][of] / round.few[of]);
    report.add({ what: `${what} (control)`, values: ratios('control') });
    report.add({ what, values: ratios('many') });
  }
  const held = residentOf(many.hub.pid) - (residentOf(few.hub.pid) + residentOf(control.hub.pid)) / 2;
  report.add({ what: 'memory per additional session', values: [(held * 1024) / (MANY - FEW)], unit: 'KiB' });
  for (const { hub, nodes, agent } of [few, control, many]) {
    agent.destroy();
    await nodes.stop();
    await hub.stop();
  }
}

async function hubWith(sessions: number): Promise<HubInUse> {
  const hub = await startLab({ SVC_LAB_DEVICES: '0' });
  const pair = await adminPair(hub.url);
  const input: StandInInput = { hub: hub.url, pair, nodes: NODES, phones: MANY / NODES };
  const nodes = await startServer('./hub/stand-in-nodes.js', input);
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const call = callerOf(hub.url, agent);
  const open: string[] = [];
  await inParallel(sessions, async () => {
    const alwaysMatch = { platformName: 'Fake', 'appium:newCommandTimeout': 0, 'svc:options': pair };
    const { status, text } = await call('POST', '/session', { json: { capabilities: { alwaysMatch } } });
    if (status !== 200) throw new Error(`no session: ${status} ${text}`);
    open.push(JSON.parse(text).value.sessionId);
  });
  return { hub, nodes, agent, call, pair, open };
}

/** Sends commands to all open sessions in turn. */
async function ask({ hub, call, open, pair }: HubInUse): Promise<Figures> {
  const times: number[] = [];
  const headers = keyPairHeaders(pair);
  const before = cpuOf(hub.pid);
  await inParallel(COMMANDS, async (at) => {
    const { took, status } = await call('GET', `/session/${open[at % open.length]}/timeouts`, { headers });
    if (status !== 200) throw new Error(`a command got the status ${status}`);
    times.push(took);
  });
  return { took: median(times), cpu: (cpuOf(hub.pid) - before) / COMMANDS };
}

async function inParallel(count: number, act: (at: number) => Promise<void>): Promise<void> {
  let next = 0;
  const one = async () => {
    while (next < count) await act(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

/** Microseconds of processor time; NaN where there is no /proc. */
function cpuOf(pid: number): number {
  const file = `/proc/${pid}/stat`;
  const fields = existsSync(file) ? readFileSync(file, 'utf8').split(') ').pop()?.split(' ') : undefined;
  return (Number(fields?.[11]) + Number(fields?.[12])) * TICK_US;
}

/** Resident memory in MiB; NaN where there is no /proc. */
function residentOf(pid: number): number {
  const file = `/proc/${pid}/status`;
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(text)?.[1] ?? Number.NaN) / 1024;
}
