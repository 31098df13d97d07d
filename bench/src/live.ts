import { existsSync, readFileSync } from 'node:fs';
import { SvcClient } from '@svc/client';
import { type Server, startServer } from './child.ts';
import type { CameraInput } from './live/camera.ts';
import type { ReadersInput } from './live/event-readers.ts';
import type { LiveFacts, LiveInput } from './live/live-server.ts';
import type { ViewersInput } from './live/mjpeg-viewers.ts';
import { askAtPace, quantile } from './pace.ts';
import type { Report } from './report/report.ts';
import { sized } from './size.ts';

const READERS = 200;
const VIEWERS = 50;
const STUCK = 5;
const FRAMES_PER_SECOND = 10;
const RATES = { events: 10, commands: 40 };
const EVENT_RATES = [1, 100, 1_000, 10_000];
/** Below the rate limit of one caller (specification 8.1). */
const ASKS_PER_SECOND = 40;
/** `long` takes 5 minutes under load and 5 minutes without load in between. */
const ROUNDS = sized({ short: 2, usual: 4, long: 30 });
const SLICE_MS = sized({ short: 5_000, usual: 8_000, long: 10_000 });
/** Pause after connections have been opened or closed. */
const SETTLE_MS = 1_000;

/** Cost during one slice: microseconds of processor time, and memory in MiB, once per second. */
interface Cost {
  cpu: number;
  readonly memory: number[];
}

/**
 * Measures the delay that many viewers cause for other requests: `GET /auth/me` with 200 event connections and 50
 * viewers of one phone, compared with no viewers, and the memory during that time. Slices with and without viewers
 * alternate, so that other work on the machine affects both.
 */
export async function liveBench(report: Report): Promise<void> {
  const seconds = (ROUNDS * SLICE_MS) / 1_000;
  report.begin(
    'Many who watch',
    `GET /auth/me with ${READERS} event connections (${RATES.events} events and ${RATES.commands} commands a second) and ${VIEWERS} viewers of one phone (${FRAMES_PER_SECOND} frames a second, ${STUCK} of them stuck) against rest, ${seconds} s`,
  );
  const filming: CameraInput = { framesPerSecond: FRAMES_PER_SECOND };
  const camera = await startServer('./live/camera.js', filming);
  const input: LiveInput = { ...RATES, camera: camera.url };
  const server = await startServer<LiveFacts>('./live/live-server.js', input);
  const client = new SvcClient({ url: server.url, credential: { cookie: server.facts.cookie } });
  const cost: Cost = { cpu: 0, memory: [] };
  const [rest, load]: [number[], number[]] = [[], []];
  const slice = () => askAtPace(() => client.me(), ASKS_PER_SECOND, SLICE_MS);
  // This slice is not counted; it warms up code and caches.
  await watched(server, slice, { cpu: 0, memory: [] });
  for (let round = 0; round < ROUNDS; round++) {
    await settled();
    rest.push(...(await slice()));
    load.push(...(await watched(server, slice, cost)));
  }
  await server.stop();
  await camera.stop();
  addRows(report, rest, load, cost);
  await moreEvents(report);
}

/** Measures the same request while one client reads more and more events. */
async function moreEvents(report: Report): Promise<void> {
  report.begin(
    'More events',
    `GET /auth/me, ${ASKS_PER_SECOND} a second, while one reads events, against 1 event a second`,
  );
  let base = Number.NaN;
  for (const events of EVENT_RATES) {
    const input: LiveInput = { events, commands: 1, camera: 'http://127.0.0.1:9/' };
    const server = await startServer<LiveFacts>('./live/live-server.js', input);
    const { cookie } = server.facts;
    const reading: ReadersInput = { url: server.url, cookie, readers: 1 };
    const reader = await startServer('./live/event-readers.js', reading);
    const client = new SvcClient({ url: server.url, credential: { cookie } });
    await askAtPace(() => client.me(), ASKS_PER_SECOND, SLICE_MS / 2);
    const took = quantile(await askAtPace(() => client.me(), ASKS_PER_SECOND, SLICE_MS), 0.5);
    if (events === EVENT_RATES[0]) base = took;
    const label = `${events} events a second`;
    report.add({ what: label, values: [took / base], plot: { name: 'growth', label, isOurs: true } });
    await reader.stop();
    await server.stop();
  }
}

/** Measures one slice while viewers in other processes are connected. */
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

function addRows(
  report: Report,
  rest: readonly number[],
  load: readonly number[],
  { cpu, memory }: Cost,
): void {
  const ratio = (part: number) => [quantile(load, part) / quantile(rest, part)];
  report.add({ what: 'p99', values: ratio(0.99), goal: { atMost: 2 } });
  report.add({ what: 'median', values: ratio(0.5) });
  report.add({
    what: 'processor time of the server',
    values: [(cpu / 1e4 / ROUNDS / SLICE_MS) * 1_000],
    unit: '%',
  });
  const third = Math.ceil(memory.length / 3);
  const [early, late] = [quantile(memory.slice(0, third), 0.5), quantile(memory.slice(-third), 0.5)];
  if (Number.isNaN(early)) return;
  report.add({ what: 'memory in the last third, compared with the first', values: [late / early] });
  report.add({ what: 'memory growth', values: [slope(memory)], unit: 'MiB a second' });
}

/** Slope of a line through the values by least squares. The distance between the values is constant. */
function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  let [above, below] = [0, 0];
  values.forEach((value, at) => {
    above += (at - middle) * value;
    below += (at - middle) ** 2;
  });
  return above / below;
}

/** Resident memory; NaN where there is no /proc. */
function residentMebibytes(pid: number): number {
  const file = `/proc/${pid}/status`;
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(text)?.[1] ?? Number.NaN) / 1024;
}

function settled(): Promise<void> {
  return new Promise((done) => setTimeout(done, SETTLE_MS));
}
