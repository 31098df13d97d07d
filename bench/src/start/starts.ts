import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { freePort } from '../free-port.ts';
import type { Report } from '../report/report.ts';
import { APPIUM, packagedHome } from './packaged-home.ts';
import { type Program, residentMb, type Started, timedStart } from './timed-start.ts';

const ROUNDS = 21;
const MEMORY_ROUNDS = 5;
const REST_MS = 4_000;
const STALL_ROUNDS = 5;
const STALL_MS = 20_000;
const LOOK_EVERY_MS = 50;

const SECRETS = {
  SVC_BOOTSTRAP_ADMIN_EMAIL: 'bench@svc.local',
  SVC_BOOTSTRAP_ADMIN_PASSWORD: 'a password of benches',
};

type Times = Pick<Started, 'ms' | 'cpuMs'>[];

/**
 * Measures the time from Appium's start to its first `/status`: without the plugin, with the plugin on existing data,
 * and with the plugin on an empty folder.
 */
export async function appiumStarts(report: Report): Promise<void> {
  report.begin(
    'The start of Appium',
    'Time to the first `/status` with the packaged plugin, compared with Appium alone',
  );
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const home = packagedHome(folder);
  const data = join(folder, 'data');
  const times: Record<'bare' | 'again' | 'first', Times> = { bare: [], again: [], first: [] };
  const start = async (into: Times, env?: Readonly<Record<string, string>>): Promise<void> => {
    const started = await timedStart(await appium(home, env));
    into.push(started);
    await started.stop();
  };
  // This start is not counted; it warms up the file cache and fills a folder with data.
  await start([]);
  await start([], { SVC_DATA_DIR: data });
  for (let round = 0; round < ROUNDS; round += 1) {
    const turns = [
      () => start(times.bare),
      () => start(times.again, { SVC_DATA_DIR: data }),
      () => start(times.first, { SVC_DATA_DIR: join(folder, `data-${round}`) }),
    ];
    for (const turn of round % 2 === 0 ? turns : turns.reverse()) await turn();
  }
  const stalls = { bare: [] as number[], again: [] as number[] };
  for (let round = 0; round < STALL_ROUNDS; round += 1) {
    stalls.bare.push(await longestStall(await appium(home), folder));
    stalls.again.push(await longestStall(await appium(home, { SVC_DATA_DIR: data }), folder));
  }
  rmSync(folder, { recursive: true, force: true });
  const goal = { atMost: 1.15 };
  const ratios = (name: 'again' | 'first', measure: 'ms' | 'cpuMs') =>
    times[name].map((each, round) => each[measure] / (times.bare[round]?.[measure] ?? Number.NaN));
  report.add({ what: 'on existing data', values: ratios('again', 'ms'), goal });
  report.add({ what: 'the same, processor time', values: ratios('again', 'cpuMs'), goal });
  report.add({ what: 'first start, on an empty folder', values: ratios('first', 'ms') });
  report.add({ what: 'the same, processor time', values: ratios('first', 'cpuMs') });
  const ofStalls = 'longest stall of the event loop in the first 5 s';
  report.add({ what: ofStalls, values: stalls.again, unit: 'ms', goal: { atMost: 20 } });
  report.add({ what: 'the same without the plugin', values: stalls.bare, unit: 'ms' });
}

/** @returns the longest stall (ms) in the first seconds of a program, which `stall-probe` measures inside it */
async function longestStall({ args, env, url }: Program, folder: string): Promise<number> {
  const file = join(folder, 'stall');
  rmSync(file, { force: true });
  const probe = new URL('stall-probe.js', import.meta.url).href;
  const started = await timedStart({
    args: ['--import', probe, ...args],
    env: { ...env, BENCH_STALL_FILE: file },
    url,
  });
  const until = performance.now() + STALL_MS;
  while (!existsSync(file) && performance.now() < until) await after(LOOK_EVERY_MS);
  await started.stop();
  return Number(readFileSync(file, 'utf8'));
}

async function appium(home: string, env?: Readonly<Record<string, string>>): Promise<Program> {
  const port = await freePort();
  const args = [APPIUM, 'server', '--address', '127.0.0.1', '--port', String(port), '--log-level', 'error'];
  return {
    args: env === undefined ? args : [...args, '--use-plugins', 'svc'],
    env: { APPIUM_HOME: home, SVC_REQUIRE_COMMAND_AUTH: 'true', ...SECRETS, ...env },
    url: `http://127.0.0.1:${port}/status`,
  };
}

/** Memory of the API alone, at rest. */
export async function memoryAtRest(report: Report): Promise<void> {
  report.begin(
    'Memory at rest',
    'Resident memory of the API alone, 4 s after its first start on a data folder',
  );
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const main = join(dirname(createRequire(import.meta.url).resolve('@svc/api/package.json')), 'dist/main.js');
  const resident: number[] = [];
  for (let round = 0; round < MEMORY_ROUNDS; round += 1) {
    const port = await freePort();
    const started = await timedStart({
      args: [main],
      env: {
        PORT: String(port),
        SVC_DATA_DIR: join(folder, String(round)),
        SVC_LOG_LEVEL: 'error',
        ...SECRETS,
      },
      url: `http://127.0.0.1:${port}/svc/api/health`,
    });
    await after(REST_MS);
    resident.push(residentMb(started.child));
    await started.stop();
  }
  rmSync(folder, { recursive: true, force: true });
  report.add({ what: 'resident', values: resident, unit: 'MB', goal: { atMost: 100 } });
}
