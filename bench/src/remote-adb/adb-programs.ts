import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { KeyPair } from '@svc/client';
import { freePort } from '../free-port.ts';

const run = promisify(execFile);
const LARGEST_OUTPUT = 256 * 1024 * 1024;

/** Runs Debian's adb for one phone. @returns how many milliseconds it took */
export type Adb = (...args: string[]) => Promise<number>;

export function adbOf(port: number, serial: string, home: string): Adb {
  const env = { PATH: process.env.PATH, HOME: home };
  return async (...args) => {
    const began = performance.now();
    await run('adb', ['-P', `${port}`, '-s', serial, ...args], {
      env,
      maxBuffer: LARGEST_OUTPUT,
      encoding: 'buffer',
    });
    return performance.now() - began;
  };
}

export interface RemoteAdb {
  readonly adb: Adb;
  stop(): Promise<void>;
}

/** Starts Debian's adb server and `svc adb`, and connects them. */
export async function startRemoteAdb(url: string, pair: KeyPair, udid: string): Promise<RemoteAdb> {
  const home = mkdtempSync(join(tmpdir(), 'svc-bench-adb-'));
  const port = await freePort();
  const server = spawn('adb', ['-P', `${port}`, 'nodaemon', 'server'], {
    env: { PATH: process.env.PATH, HOME: home },
    stdio: 'ignore',
  });
  const program = createRequire(import.meta.url).resolve('@svc/client/bin/appium-svc-client.js');
  const folder = process.env.BENCH_PROFILE;
  const profiling = folder ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : [];
  const client = spawn(process.execPath, [...profiling, program, 'adb', udid], {
    env: { PATH: process.env.PATH, SVC_URL: url, SVC_ACCESS_KEY: pair.accessKey, SVC_TOKEN: pair.token },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: client.stdout }), 'line')) as [string];
  const serial = line.slice('adb connect '.length);
  await run('adb', ['-P', `${port}`, 'connect', serial], { env: { PATH: process.env.PATH, HOME: home } });
  const stop = async () => {
    await ended(client, 'SIGTERM');
    await ended(server, 'SIGKILL');
    rmSync(home, { recursive: true, force: true });
  };
  return { adb: adbOf(port, serial, home), stop };
}

async function ended(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}
