import { existsSync, readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { keyPairHeaders } from '@svc/client';
import { startServer } from '../child.ts';
import { type Call, callerOf } from '../http-call.ts';
import { median } from '../load.ts';
import type { Report } from '../report/report.ts';
import { sized } from '../size.ts';
import { adminPair, startLab } from './lab-process.ts';
import type { StandInInput } from './stand-in-nodes.ts';

const NODES = 4;
const FEW = 10;
const MANY = 1000;
const COMMANDS = sized({ short: 4_000, usual: 8_000, long: 20_000 });
const AT_ONCE = 8;
/** The kernel counts processor time in these. */
const TICK_US = 10_000;

interface Figures {
  /** Milliseconds, median. */
  readonly took: number;
  /** Microseconds of the hub's processor time a command. */
  readonly cpu: number;
  /** Mebibytes. */
  readonly resident: number;
}

/** (contract 8) What a command costs, and what a hub holds, with 1,000 open sessions over 4 nodes against 10. */
export async function manySessionsBench(report: Report): Promise<void> {
  report.begin(
    'Many sessions on a hub',
    `${MANY} open sessions over ${NODES} nodes against ${FEW}, ${COMMANDS} commands, ${AT_ONCE} at a time; control: ${FEW} again afterwards`,
  );
  const hub = await startLab({ SVC_LAB_DEVICES: '0' });
  const pair = await adminPair(hub.url);
  const input: StandInInput = { hub: hub.url, pair, nodes: NODES, phones: MANY / NODES };
  const nodes = await startServer('./hub/stand-in-nodes.js', input);
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const call = callerOf(hub.url, agent);
  const headers = keyPairHeaders(pair);
  const open: string[] = [];
  const create = async () => {
    const alwaysMatch = { platformName: 'Fake', 'appium:newCommandTimeout': 0, 'svc:options': pair };
    const { status, text } = await call('POST', '/session', { json: { capabilities: { alwaysMatch } } });
    if (status !== 200) throw new Error(`no session: ${status} ${text}`);
    open.push(JSON.parse(text).value.sessionId);
  };
  const measured = () => measure(call, open, headers, hub.pid);
  await inParallel(FEW, create);
  await measured();
  const few = await measured();
  await inParallel(MANY - FEW, create);
  await measured();
  const many = await measured();
  const over = open.splice(FEW);
  await inParallel(over.length, async (at) => {
    const { status } = await call('DELETE', `/session/${over[at]}`, { headers });
    if (status !== 200) throw new Error(`a session could not be ended: ${status}`);
  });
  const again = await measured();
  agent.destroy();
  await nodes.stop();
  await hub.stop();
  tell(report, few, many, again);
}

/** Commands to all open sessions in turn. */
async function measure(
  call: Call,
  open: readonly string[],
  headers: Readonly<Record<string, string>>,
  pid: number,
): Promise<Figures> {
  const times: number[] = [];
  const before = cpuOf(pid);
  await inParallel(COMMANDS, async (at) => {
    const { took, status } = await call('GET', `/session/${open[at % open.length]}/timeouts`, { headers });
    if (status !== 200) throw new Error(`a command was answered with ${status}`);
    times.push(took);
  });
  return { took: median(times), cpu: (cpuOf(pid) - before) / COMMANDS, resident: residentOf(pid) };
}

async function inParallel(count: number, act: (at: number) => Promise<void>): Promise<void> {
  let next = 0;
  const one = async () => {
    while (next < count) await act(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

function tell(report: Report, few: Figures, many: Figures, again: Figures): void {
  const compared: [string, keyof Figures][] = [
    ["a command's time", 'took'],
    ["the hub's processor time a command", 'cpu'],
    ["the hub's memory", 'resident'],
  ];
  for (const [what, of] of compared) {
    report.add({ what: `${what} (control)`, values: [again[of] / few[of]] });
    report.add({ what, values: [many[of] / few[of]] });
  }
  const each = ((many.resident - few.resident) * 1024) / (MANY - FEW);
  report.add({ what: 'memory for one more session', values: [each], unit: 'KiB' });
}

/** Microseconds; NaN where there is no /proc. */
function cpuOf(pid: number): number {
  const file = `/proc/${pid}/stat`;
  const fields = existsSync(file) ? readFileSync(file, 'utf8').split(') ').pop()?.split(' ') : undefined;
  return (Number(fields?.[11]) + Number(fields?.[12])) * TICK_US;
}

/** Mebibytes; NaN where there is no /proc. */
function residentOf(pid: number): number {
  const file = `/proc/${pid}/status`;
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(text)?.[1] ?? Number.NaN) / 1024;
}
