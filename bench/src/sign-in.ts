import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { SvcClient, SvcError } from '@svc/client';
import { routes, successStatus } from '@svc/contract';
import { askAtPace, quantile } from './pace.ts';
import type { Report } from './report/report.ts';
import { sized } from './size.ts';

const EMAIL = 'bench@svc.local';
const PASSWORD = 'a password of benches';

const ROUNDS = sized({ short: 1, usual: 4, long: 12 });
const ROUND_MS = 3000;
const ASKS_PER_SECOND = 100;
const SIGN_INS_PER_SECOND = 20;
/** Niceness of the thread that hashes passwords. */
const HASHING_PRIORITY = 5;
const TRIES = sized({ short: 50, usual: 120, long: 200 });

interface Server {
  /** A client without a credential. */
  readonly client: SvcClient;
  stop(): Promise<void>;
}

/**
 * Measures the delay that sign-ins cause for other requests, and whether the duration of a sign-in reveals which
 * accounts exist.
 */
export async function signInBench(report: Report): Promise<void> {
  await whileOthersSignIn(report);
  await knownAndUnknown(report);
}

/**
 * Measures the p99 of `GET /auth/me` with 20 sign-ins per second. The hashing thread keeps a core busy, and any busy
 * core delays other requests. Therefore the goal compares with a process that only computes, so that only delays by the
 * service count. Each p99 is computed over all rounds together, because the p99 of one round would be its third slowest
 * request.
 */
async function whileOthersSignIn(report: Report): Promise<void> {
  report.begin(
    'While others sign in',
    `p99 of GET /auth/me, ${ASKS_PER_SECOND} a second, with ${SIGN_INS_PER_SECOND} sign-ins a second offered (bcrypt cost 12), against the same beside a foreign process that only computes, at the priority of the hashing thread; control: at rest after both against at rest before both; ${ROUNDS} rounds of ${ROUND_MS} ms each`,
  );
  const server = await start({ SVC_BCRYPT_COST: '12' });
  const asker = new SvcClient({ url: server.client.url });
  await asker.signIn(EMAIL, PASSWORD);
  const took: Record<'rest' | 'load' | 'busy' | 'control', number[]> = {
    rest: [],
    load: [],
    busy: [],
    control: [],
  };
  const outcomes: Record<number, number> = {};
  const besideSignIns = async () => {
    const stop = offerSignIns(server.client, outcomes);
    took.load.push(...(await ask(asker)));
    await stop();
  };
  const besideBusyProcess = async () => {
    const stop = await keepBusy();
    took.busy.push(...(await ask(asker)));
    await stop();
  };
  await ask(asker);
  for (let round = 0; round < ROUNDS; round++) {
    const both = [besideSignIns, besideBusyProcess];
    took.rest.push(...(await ask(asker)));
    for (const measure of round % 2 === 0 ? both : both.reverse()) await measure();
    took.control.push(...(await ask(asker)));
  }
  await server.stop();
  const p99 = (times: readonly number[]) => quantile(times, 0.99);
  const [atRest, load, busy] = [p99([...took.rest, ...took.control]), p99(took.load), p99(took.busy)];
  report.add({ what: 'at rest', values: [atRest], unit: 'ms' });
  report.add({
    what: 'at rest again, compared with at rest (control)',
    values: [p99(took.control) / p99(took.rest)],
  });
  report.add({ what: 'beside a process that only computes, compared with at rest', values: [busy / atRest] });
  report.add({ what: 'with sign-ins, compared with at rest', values: [load / atRest] });
  const goal = { atMost: 1.1 };
  report.add({
    what: 'with sign-ins, compared with beside a process that only computes',
    values: [load / busy],
    goal,
  });
  const offered = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  const admitted = outcomes[successStatus(routes.login)] ?? 0;
  report.add({ what: 'share of the sign-ins that succeeded', values: [admitted / offered] });
}

/** Checks that the medians over alternating tries differ by less than their own spread. */
async function knownAndUnknown(report: Report): Promise<void> {
  report.begin(
    'Which accounts exist',
    `${TRIES} interleaved tries with a wrong password for an account that exists and for one that does not, bcrypt cost 10`,
  );
  const server = await start({ SVC_BCRYPT_COST: '10' });
  const known: number[] = [];
  const unknown: number[] = [];
  for (let at = 0; at < TRIES; at++) {
    const [first, second] = at % 2 === 0 ? [known, unknown] : [unknown, known];
    for (const times of [first, second]) {
      const email = times === known ? EMAIL : `nobody${at}@svc.local`;
      times.push((await trySignIn(server.client, 'not the password', email)).took);
    }
  }
  await server.stop();
  const difference = Math.abs(quantile(known, 0.5) - quantile(unknown, 0.5));
  const spread = Math.min(spreadOf(known), spreadOf(unknown));
  report.add({
    what: 'difference of the medians, relative to their spread',
    values: [difference / spread],
    goal: { atMost: 1 },
  });
}

/** Sends the requests of one round. */
const ask = (client: SvcClient) => askAtPace(() => client.me(), ASKS_PER_SECOND, ROUND_MS);

/** Sends sign-ins at a fixed rate until the returned function is called. */
function offerSignIns(client: SvcClient, outcomes: Record<number, number>): () => Promise<void> {
  const waiting: Promise<void>[] = [];
  const timer = setInterval(() => {
    waiting.push(
      trySignIn(client, PASSWORD).then(({ status }) => {
        outcomes[status] = (outcomes[status] ?? 0) + 1;
      }),
    );
  }, 1000 / SIGN_INS_PER_SECOND);
  return async () => {
    clearInterval(timer);
    await Promise.all(waiting);
  };
}

/** Keeps one core busy until the returned function is called, at the priority of the hashing thread. */
async function keepBusy(): Promise<() => Promise<void>> {
  const busy = spawn(process.execPath, ['--eval', 'for (;;);'], { stdio: 'ignore' });
  await once(busy, 'spawn');
  setPriority(busy.pid as number, HASHING_PRIORITY);
  return async () => {
    const exited = once(busy, 'exit');
    busy.kill('SIGKILL');
    await exited;
  };
}

/** Tries to sign in, without using the cookie. The status of a refusal is a normal result. */
async function trySignIn(client: SvcClient, password: string, email: string = EMAIL) {
  const began = performance.now();
  const status = await client.call('login', { body: { email, password } }).then(
    () => successStatus(routes.login),
    (error: unknown) => {
      if (error instanceof SvcError && error.status !== 0) return error.status;
      throw error;
    },
  );
  return { status, took: performance.now() - began };
}

async function start(env: Record<string, string>): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const main = createRequire(import.meta.url).resolve('@svc/api/main.js');
  const setting = {
    SVC_BOOTSTRAP_ADMIN_EMAIL: EMAIL,
    SVC_BOOTSTRAP_ADMIN_PASSWORD: PASSWORD,
    SVC_LOGIN_RATE_LIMIT_ATTEMPTS: '1000000',
    SVC_LOG_LEVEL: 'silent',
  };
  const child: ChildProcess = spawn(process.execPath, [main], {
    env: { PATH: process.env.PATH, PORT: '0', SVC_DATA_DIR: folder, ...setting, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    if (!line.startsWith('svc ready on ')) continue;
    const stop = async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
    };
    return { client: new SvcClient({ url: line.slice('svc ready on '.length) }), stop };
  }
  throw new Error('the API did not start');
}

/** Width of the middle half of the values. */
function spreadOf(values: readonly number[]): number {
  return quantile(values, 0.75) - quantile(values, 0.25);
}
