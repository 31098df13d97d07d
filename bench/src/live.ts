import { existsSync, readFileSync } from 'node:fs';
import { SvcClient } from '@svc/client';
import { type Server, startServer } from './child.ts';
import type { ReadersInput } from './live/event-readers.ts';
import type { LiveFacts, LiveInput } from './live/live-server.ts';
import type { ViewersInput } from './live/mjpeg-viewers.ts';
import { askAtPace, quantile } from './pace.ts';

const READERS = 200;
const VIEWERS = 50;
const STUCK = 5;
const RATES = { events: 10, commands: 40 };
/** Below what one caller may ask (specification 8.1). */
const ASKS_PER_SECOND = 40;
const SHORT = process.env.BENCH_SHORT === 'true';
/** 5 minutes under load in all; at rest as long, in between. */
const ROUNDS = SHORT ? 2 : 30;
const SLICE_MS = SHORT ? 5_000 : 10_000;
/** Connections have come or gone by then. */
const SETTLE_MS = 1_000;

/** What the server took while they watched: microseconds of processor time, and MiB from one second to the next. */
interface Cost {
  cpu: number;
  readonly memory: number[];
}

/**
 * What many who watch cost the others: `GET /auth/me` with 200 event connections and 50 viewers of one phone against
 * none, slice by slice in turn, so that a slower machine slows both; and memory over the time they watch.
 */
export async function liveBench(): Promise<void> {
  const camera = await startServer('./live/camera.js');
  const input: LiveInput = { ...RATES, camera: camera.url };
  const server = await startServer<LiveFacts>('./live/live-server.js', input);
  const client = new SvcClient({ url: server.url, credential: { cookie: server.facts.cookie } });
  const cost: Cost = { cpu: 0, memory: [] };
  const [rest, load]: [number[], number[]] = [[], []];
  const slice = () => askAtPace(client, ASKS_PER_SECOND, SLICE_MS);
  // Code and memory are warm by then.
  await watched(server, slice, { cpu: 0, memory: [] });
  for (let round = 0; round < ROUNDS; round++) {
    await settled();
    rest.push(...(await slice()));
    load.push(...(await watched(server, slice, cost)));
  }
  await server.stop();
  await camera.stop();
  report(rest, load, cost);
}

/** Runs one slice while all watch, from processes of their own. */
async function watched(
  { url, facts: { cookie, pid, udid }, cpu }: Server<LiveFacts>,
  slice: () => Promise<number[]>,
  cost: Cost,
): Promise<number[]> {
  const reading: ReadersInput = { url, cookie, readers: READERS };
  const viewing: ViewersInput = { url, cookie, udid, viewers: VIEWERS, stuck: STUCK };
  const readers = await startServer('./live/event-readers.js', reading);
  const viewers = await startServer('./live/mjpeg-viewers.js', viewing);
  await settled();
  const before = await cpu();
  const sampling = setInterval(() => cost.memory.push(residentMebibytes(pid)), 1_000);
  const times = await slice();
  clearInterval(sampling);
  cost.cpu += (await cpu()) - before;
  await Promise.all([readers.stop(), viewers.stop()]);
  return times;
}

function report(rest: readonly number[], load: readonly number[], { cpu, memory }: Cost): void {
  const at = (part: number) => {
    const [atRest, withAll] = [quantile(rest, part), quantile(load, part)];
    return `${(withAll / atRest).toFixed(2)}  (${withAll.toFixed(1)} ms, at rest ${atRest.toFixed(1)} ms)`;
  };
  const seconds = (ROUNDS * SLICE_MS) / 1_000;
  console.log(
    `live: ${READERS} event connections (${RATES.events} events and ${RATES.commands} commands a second) and ${VIEWERS} viewers of one phone (10 frames a second, ${STUCK} of them stuck), ${seconds} s`,
  );
  console.log(`  GET /auth/me against rest, p99: ${at(0.99)}, wanted: at most 2`);
  console.log(`  GET /auth/me against rest, median: ${at(0.5)}`);
  console.log(`  processor time of the server: ${(cpu / 1e4 / seconds).toFixed(0)} %`);
  const third = Math.ceil(memory.length / 3);
  const [early, late] = [quantile(memory.slice(0, third), 0.5), quantile(memory.slice(-third), 0.5)];
  if (!Number.isNaN(early))
    console.log(
      `  memory: ${early.toFixed(0)} MiB in the first third, ${late.toFixed(0)} MiB in the last: ${(late / early).toFixed(2)} (wanted: about 1), ${slope(memory).toFixed(2)} MiB more each second`,
    );
}

/** By least squares, of values at equal distances. */
function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  let [above, below] = [0, 0];
  values.forEach((value, at) => {
    above += (at - middle) * value;
    below += (at - middle) ** 2;
  });
  return above / below;
}

/** NaN where there is no /proc. */
function residentMebibytes(pid: number): number {
  const file = `/proc/${pid}/status`;
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(text)?.[1] ?? Number.NaN) / 1024;
}

function settled(): Promise<void> {
  return new Promise((done) => setTimeout(done, SETTLE_MS));
}
