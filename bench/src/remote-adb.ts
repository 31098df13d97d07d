import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { keyPairHeaders, SvcClient } from '@svc/client';
import { createSession } from './appium-server.ts';
import { startServer } from './child.ts';
import { callerOf } from './http-call.ts';
import { adminPair, startLab } from './hub/lab-process.ts';
import { median } from './load.ts';
import { askAtPace, quantile } from './pace.ts';
import { type Adb, adbOf, startRemoteAdb } from './remote-adb/adb-programs.ts';
import type { PhonesFacts } from './remote-adb/phones-server.ts';
import type { RelayFacts } from './remote-adb/relay.ts';
import type { Report } from './report/report.ts';
import { sized } from './size.ts';

const RELAY = './remote-adb/relay.js';
const ROUNDS = sized({ short: 2, usual: 5, long: 15 });
const SHELLS = sized({ short: 10, usual: 40, long: 100 });
const MEGABYTES = sized({ short: 25, usual: 100, long: 100 });
const ASKS_PER_SECOND = 40;
const SLICE_MS = sized({ short: 3_000, usual: 10_000, long: 15_000 });

/**
 * Compares Debian's adb through `svc adb` and a lab with Debian's adb at the lab's own adb server, which has the same
 * scripted phone. The ways alternate. A third way is the control: two processes between adb and that server copy bytes
 * and do nothing else, which shows what two more processes cost on this machine. Then measures the commands of another
 * caller beside a log.
 */
export async function remoteAdbBench(report: Report): Promise<void> {
  report.begin(
    'adb from elsewhere',
    `Debian's adb on a scripted phone through svc adb, against the same adb at the adb server of the lab: ${SHELLS} shells, a file of ${MEGABYTES} MB, the output of a command; they alternate in ${ROUNDS} rounds`,
  );
  const phones = await startServer<PhonesFacts>('./remote-adb/phones-server.js');
  const { port, udid } = phones.facts;
  const lab = await startLab({ SVC_ADB: `127.0.0.1:${port}` });
  const pair = await adminPair(lab.url);
  await lease(new SvcClient({ url: lab.url, credential: pair }), udid);
  const remote = await startRemoteAdb(lab.url, pair, udid);
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-files-'));
  const direct = adbOf(port, udid, folder);
  const near = await startServer<RelayFacts>(RELAY, { to: port });
  const far = await startServer<RelayFacts>(RELAY, { to: near.facts.port });
  await compare(report, { direct, remote: remote.adb, copied: adbOf(far.facts.port, udid, folder) }, folder);
  await far.stop();
  await near.stop();

  const agent = new Agent({ keepAlive: true });
  const call = callerOf(lab.url, agent);
  const sessionId = await createSession(call, pair, { 'appium:newCommandTimeout': 0 });
  const headers = keyPairHeaders(pair);
  const slice = () =>
    askAtPace(() => call('GET', `/session/${sessionId}/timeouts`, { headers }), ASKS_PER_SECOND, SLICE_MS);
  await besideLog(report, slice, direct, remote.adb);

  agent.destroy();
  await remote.stop();
  await lab.stop();
  await phones.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function lease(client: SvcClient, udid: string): Promise<void> {
  const isThere = async () => (await client.call('listDevices')).some((device) => device.udid === udid);
  while (!(await isThere())) await after(100);
  await client.call('createLease', { body: { udid, minutes: 60 } });
}

/** The ways from adb to the phone. */
interface Ways {
  readonly direct: Adb;
  readonly remote: Adb;
  readonly copied: Adb;
}

async function compare(report: Report, { direct, remote, copied }: Ways, folder: string): Promise<void> {
  const file = join(folder, 'file');
  writeFileSync(file, Buffer.alloc(MEGABYTES * 1_000_000, 'some bytes'));
  const works: Readonly<Record<string, (adb: Adb) => Promise<number>>> = {
    push: (adb) => adb('push', file, '/sdcard/Download/file'),
    pull: (adb) => adb('pull', '/sdcard/Download/file', join(folder, 'pulled')),
    output: (adb) => adb('shell', 'flood'),
  };
  const ratios = new Map<string, { svc: number[]; control: number[] }>(
    Object.keys(works).map((name) => [name, { svc: [], control: [] }]),
  );
  const added: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const [plain, checked]: [number[], number[]] = [[], []];
    for (let count = 0; count < SHELLS; count++) {
      plain.push(await direct('shell', 'getprop', 'ro.build.version.release'));
      checked.push(await remote('shell', 'getprop', 'ro.build.version.release'));
    }
    added.push(median(checked) - median(plain));
    for (const [name, work] of Object.entries(works)) {
      const plainTook = await work(direct);
      ratios.get(name)?.svc.push(plainTook / (await work(remote)));
      ratios.get(name)?.control.push(plainTook / (await work(copied)));
    }
  }
  report.add({ what: 'a shell takes longer by', values: added, unit: 'ms', goal: { atMost: 15 } });
  for (const [name, { svc, control }] of ratios) {
    report.add({ what: `throughput of ${name}`, values: svc, goal: { atLeast: 0.8 } });
    report.add({ what: `throughput of ${name} through two processes that only copy`, values: control });
  }
}

/**
 * Alternates slices beside a log of 20 MB/s through svc adb with slices beside the same log at the lab's adb server, so
 * that the processor time of adb and other work on the machine affect both. The slices at the adb server are measured
 * twice, which shows how much the p99 differs by chance.
 */
async function besideLog(
  report: Report,
  slice: () => Promise<number[]>,
  direct: Adb,
  remote: Adb,
): Promise<void> {
  const beside = async (adb: Adb) => {
    const log = adb('shell', `log ${SLICE_MS / 1_000}`);
    const times = await slice();
    const took = await log;
    return { times, late: took / SLICE_MS };
  };
  const [plain, again, checked, late]: [number[], number[], number[], number[]] = [[], [], [], []];
  await slice();
  for (let round = 0; round < ROUNDS; round++) {
    plain.push(...(await beside(direct)).times);
    again.push(...(await beside(direct)).times);
    const measured = await beside(remote);
    checked.push(...measured.times);
    late.push(measured.late);
  }
  const ratio = (part: number, times = checked) => [quantile(times, part) / quantile(plain, part)];
  report.add({ what: 'time that a log of 20 MB/s takes', values: late, goal: { atMost: 1.1 } });
  report.add({ what: "p99 of another caller's commands beside that log", values: ratio(0.99) });
  report.add({ what: 'p99 beside the log at the lab, measured twice', values: ratio(0.99, again) });
  report.add({ what: "median of another caller's commands beside that log", values: ratio(0.5) });
}
