import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import { SvcClient } from '@svc/client';
import { DEFAULT_ADMIN_EMAIL, DEFAULT_ADMIN_PASSWORD, routes } from '@svc/contract';
import { type Server, startServer } from '../child.ts';
import { askAtPace, quantile } from '../pace.ts';

const VIEWERS = 50;
/** Of them, those that take nothing: they may cost frames, not memory. */
const STUCK = 5;
/** Below what a signed-in user may read. */
const ASKS_PER_SECOND = 40;
const SHORT = process.env.BENCH_SHORT === 'true';
/** The whole time with viewers, in rounds between which nobody looks for as long as a rest takes. */
const ROUNDS = SHORT ? 1 : 5;
const LOAD_MS = SHORT ? 10_000 : 60_000;
const REST_MS = SHORT ? 5_000 : 10_000;
const PHONE = 'bench-phone';

/** What 50 viewers of one phone cost the others: p99 of `GET /auth/me`, and memory over the time they look. */
export async function previewsBench(): Promise<void> {
  const camera = await startServer('previews/camera.js');
  const lab = await startApi(camera);
  const asker = new SvcClient({ url: lab.url });
  await asker.signIn(DEFAULT_ADMIN_EMAIL, DEFAULT_ADMIN_PASSWORD);
  await askAtPace(asker, ASKS_PER_SECOND, REST_MS);
  const ratios: number[] = [];
  const memory: number[] = [];
  let bytes = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const rest = quantile(await askAtPace(asker, ASKS_PER_SECOND, REST_MS), 0.99);
    const viewers = await openViewers(asker);
    const sampling = setInterval(() => memory.push(residentMegabytes(lab.child)), LOAD_MS / 40);
    const load = quantile(await askAtPace(asker, ASKS_PER_SECOND, LOAD_MS), 0.99);
    clearInterval(sampling);
    bytes += await viewers.stop();
    const control = quantile(await askAtPace(asker, ASKS_PER_SECOND, REST_MS), 0.99);
    ratios.push((2 * load) / (rest + control));
    console.log(`previews: p99 at rest ${ms(rest)}, with viewers ${ms(load)}, at rest again ${ms(control)}`);
  }
  await lab.stop();
  await camera.stop();
  const quarter = Math.ceil(memory.length / 4);
  const [early, late] = [memory.slice(quarter, 2 * quarter), memory.slice(-quarter)];
  const seconds = (ROUNDS * LOAD_MS) / 1000;
  console.log(
    `  ${VIEWERS} viewers, ${STUCK} of them stuck, ${(bytes / 1e6 / seconds).toFixed(0)} MB a second`,
  );
  console.log(`  p99 with viewers / at rest: ${quantile(ratios, 0.5).toFixed(2)} (wanted: at most 2)`);
  const [from, to] = [quantile(early, 0.5), quantile(late, 0.5)];
  console.log(
    `  memory: ${from.toFixed(0)} MB in the second quarter, ${to.toFixed(0)} MB in the last: ${(to / from).toFixed(2)} (wanted: about 1)`,
  );
}

/** The viewers look from a thread of their own, so that the one who asks is not kept by them. */
async function openViewers(client: SvcClient): Promise<{ stop(): Promise<number> }> {
  const tickets = await Promise.all(
    Array.from({ length: VIEWERS }, () =>
      client.call(routes.issueStreamTicket, { params: { udid: PHONE } }).then(({ ticket }) => ticket),
    ),
  );
  const urls = tickets.map((ticket) => `${client.url}/svc/api/control/${PHONE}/stream?ticket=${ticket}`);
  const worker = new Worker(new URL('viewers.js', import.meta.url), { workerData: { urls, stuck: STUCK } });
  await once(worker, 'message');
  const stop = async () => {
    worker.postMessage('stop');
    const [bytes] = await once(worker, 'message');
    await worker.terminate();
    return bytes as number;
  };
  return { stop };
}

async function startApi(camera: Server<unknown>) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const phone = { udid: PHONE, name: 'Phone', platform: 'Android', osVersion: '14', mjpegUrl: camera.url };
  const child: ChildProcess = spawn(
    process.execPath,
    [createRequire(import.meta.url).resolve('@svc/api/main.js')],
    {
      env: {
        PATH: process.env.PATH,
        PORT: '0',
        SVC_DATA_DIR: folder,
        SVC_LOG_LEVEL: 'silent',
        SVC_DEVICES: JSON.stringify([phone]),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    if (!line.startsWith('svc ready on ')) continue;
    const stop = async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
    };
    return { url: line.slice('svc ready on '.length), child, stop };
  }
  throw new Error('the API did not start');
}

function residentMegabytes({ pid }: ChildProcess): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}
