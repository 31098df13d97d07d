import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';

const LOOK_EVERY_MS = 5;
const START_MS = 120_000;
/** Linux counts processor time in these units. */
const TICKS_A_SECOND = 100;

export interface Program {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Responds 200 when the program has started. */
  readonly url: string;
}

export interface Started {
  /** Milliseconds until the first response. */
  readonly ms: number;
  /**
   * Processor time that was used until the first response, which other work on the machine hardly affects; NaN where
   * there is no /proc.
   */
  readonly cpuMs: number;
  readonly child: ChildProcess;
  stop(): Promise<void>;
}

/** Starts a program of Node.js and waits for its first response. */
export async function timedStart({ args, env, url }: Program): Promise<Started> {
  const began = performance.now();
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  while (!(await answers(url))) {
    if (child.exitCode !== null || performance.now() - began > START_MS)
      throw new Error(`${args[0]} did not start`);
    await after(LOOK_EVERY_MS);
  }
  const ms = performance.now() - began;
  const cpuMs = cpuOf(child);
  const stop = async (): Promise<void> => {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  };
  return { ms, cpuMs, child, stop };
}

/** Resident memory in MB; NaN where there is no /proc. */
export function residentMb({ pid }: ChildProcess): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(ofProcess(pid, 'status'))?.[1]) / 1024;
}

function cpuOf({ pid }: ChildProcess): number {
  const stat = ofProcess(pid, 'stat');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return ((Number(user) + Number(system)) / TICKS_A_SECOND) * 1000;
}

function ofProcess(pid: number | undefined, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}

function answers(url: string): Promise<boolean> {
  return new Promise((done) => {
    get(url, { agent: false }, (answer) => {
      answer.resume().once('end', () => done(answer.statusCode === 200));
    }).once('error', () => done(false));
  });
}
