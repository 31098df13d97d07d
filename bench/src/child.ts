import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A server in its own process, so that it does not share a core with its client. */
export interface Server<T> {
  readonly url: string;
  /** Facts that the server reported when it was ready. */
  readonly facts: T;
  /** Microseconds of processor time used so far. */
  cpu(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts the built program `file` with one argument, and waits until it calls `ready`. */
export async function startServer<T>(file: string, argument: object = {}): Promise<Server<T>> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), [JSON.stringify(argument)]);
  const { url, facts } = await message<{ url: string; facts: T }>(child);
  const cpu = () => {
    const answer = message<number>(child);
    child.send('cpu');
    return answer;
  };
  const stop = () =>
    new Promise<void>((done) => {
      child.once('exit', () => done());
      child.send('stop');
    });
  return { url, facts, cpu, stop };
}

/** The server calls this when it can respond. `stop` is awaited when the benchmark no longer needs the server. */
export function ready(url: string, facts: object, stop: () => Promise<unknown>): void {
  if (process.env.BENCH_PROFILE) stop = profiled(process.env.BENCH_PROFILE, stop);
  process.on('message', (asked) => {
    const { user, system } = process.cpuUsage();
    if (asked === 'cpu') process.send?.(user + system);
    else void stop().then(() => process.exit(0));
  });
  // Ends the server if the benchmark has failed and its process is gone.
  process.once('disconnect', () => process.exit());
  process.send?.({ url, facts });
}

/** @returns the argument that was passed to `startServer` */
export function argument<T>(): T {
  return JSON.parse(process.argv[2] ?? '{}');
}

function message<T>(child: ChildProcess): Promise<T> {
  return new Promise((done, failed) => {
    const ended = (code: number | null) => failed(new Error(`the server ended with ${code}`));
    child.once('exit', ended);
    child.once('message', (value) => {
      child.off('exit', ended);
      done(value as T);
    });
  });
}

/** With `BENCH_PROFILE=<folder>`, every server writes a CPU profile of the time in which it was measured. */
function profiled(folder: string, stop: () => Promise<unknown>): () => Promise<unknown> {
  const session = new Session();
  session.connect();
  void session.post('Profiler.enable').then(() => session.post('Profiler.start'));
  return async () => {
    const { profile } = await session.post('Profiler.stop');
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, `${basename(process.argv[1] ?? '', '.js')}-${process.pid}.cpuprofile`),
      JSON.stringify(profile),
    );
    await stop();
  };
}
