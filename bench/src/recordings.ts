import { SvcClient } from '@svc/client';
import { type AppiumUnderTest, startAppium } from './appium-server.ts';
import { type Server, startServer } from './child.ts';
import type { CameraInput } from './live/camera.ts';
import { askInTurn, quantile } from './pace.ts';
import type { RecordedFacts, RecordedInput } from './recordings/recorded-server.ts';
import type { Report } from './report/report.ts';
import { sized } from './size.ts';

const SESSIONS = 20;
/** Maximum number of pictures per second that a recording keeps (contract 11). */
const FRAMES_PER_SECOND = 4;
/** Below the rate limit of one credential. */
const ASKS_PER_SECOND = 60;
const MEASURE_MS = sized({ short: 5_000, usual: 120_000, long: 300_000 });
const WARM_UP_MS = 5_000;

interface Measured {
  readonly server: Server<RecordedFacts>;
  readonly client: SvcClient;
}

/**
 * Measures the cost of 20 recorded sessions for the server, for the commands and for the requests of other users. Three
 * servers with the same sessions get commands or requests in turn, at the same time. One of them records its sessions,
 * and the two others show the noise.
 */
export async function recordingsBench(report: Report): Promise<void> {
  report.begin(
    'Commands beside recorded sessions',
    `A cheap command of a session that is not recorded, ${ASKS_PER_SECOND} a second, on an Appium that records ${SESSIONS} other sessions with ${FRAMES_PER_SECOND} pictures of 40 kB a second each, against one that records none, at the same time; ${MEASURE_MS} ms`,
  );
  await commandsBeside(report, { inStep: false });
  await commandsBeside(report, { inStep: true });
  report.begin(
    'Requests to the API beside recorded sessions',
    `GET /auth/me, ${ASKS_PER_SECOND} a second, on a server that records ${SESSIONS} sessions with ${FRAMES_PER_SECOND} pictures of 40 kB a second each, against one that records none, at the same time; ${MEASURE_MS} ms`,
  );
  await recorded(report, { inStep: false });
  await recorded(report, { inStep: true });
}

interface Phones {
  /** Whether the phones send their pictures at the same moment, which phones of a lab do not. */
  readonly inStep: boolean;
}

async function commandsBeside(report: Report, { inStep }: Phones): Promise<void> {
  const filming: CameraInput = { framesPerSecond: FRAMES_PER_SECOND, inStep };
  const camera = await startServer('./live/camera.js', filming);
  const started: AppiumWithOthers[] = [];
  for (const record of ['off', 'all', 'off'] as const) started.push(await appiumWith(camera.url, record));
  const asks = started.map(({ appium }) => appium.command);
  await askInTurn(asks, ASKS_PER_SECOND, WARM_UP_MS);
  const times = await askInTurn(asks, ASKS_PER_SECOND, MEASURE_MS);
  const pictures = await Promise.all(started.map(picturesBeside));
  for (const { appium } of started) await appium.stop();
  await camera.stop();
  if (pictures.map((count) => count > 0).join() !== 'false,true,false')
    throw new Error(`pictures: ${pictures}`);
  const [without = Number.NaN, withAll = Number.NaN, control = Number.NaN] = times.map((each) =>
    quantile(each, 0.99),
  );
  const name = nameOf({ inStep });
  report.add({ what: `${name}: p99 without recordings again (control)`, values: [control / without] });
  report.add({ what: `${name}: p99`, values: [withAll / without], goal: { atMost: 1.2 } });
}

interface AppiumWithOthers {
  readonly appium: AppiumUnderTest;
  /** Ids of the sessions that get no commands. */
  readonly others: readonly string[];
}

/** Starts an Appium with one session that gets commands, and `SESSIONS` sessions that are recorded or not. */
async function appiumWith(camera: string, record: 'off' | 'all'): Promise<AppiumWithOthers> {
  const phones = Array.from({ length: SESSIONS + 1 }, (_, index) => ({
    udid: `phone-${index}`,
    name: `Phone ${index}`,
    platform: 'Fake',
    osVersion: '14',
    mjpegUrl: camera,
  }));
  const appium = await startAppium({ plugin: true, env: { SVC_DEVICES: JSON.stringify(phones) } });
  const others: string[] = [];
  for (let count = 0; count < SESSIONS; count++) others.push(await appium.openIdle({ record }));
  return { appium, others };
}

/** Returns how many pictures were recorded in all. */
async function picturesBeside({ appium, others }: AppiumWithOthers): Promise<number> {
  let sum = 0;
  for (const id of others) {
    const { pictures } = (await appium.get(`/svc/api/session/${id}/recording`)) as {
      readonly pictures: number;
    };
    sum += pictures;
  }
  return sum;
}

async function recorded(report: Report, { inStep }: Phones): Promise<void> {
  const filming: CameraInput = { framesPerSecond: FRAMES_PER_SECOND, inStep };
  const camera = await startServer('./live/camera.js', filming);
  const input = { camera: camera.url, sessions: SESSIONS };
  const off = await measured({ ...input, recording: 'off' });
  const all = await measured({ ...input, recording: 'all' });
  const again = await measured({ ...input, recording: 'off' });
  const servers = [off, all, again];
  const asks = servers.map(
    ({ client }) =>
      () =>
        client.me(),
  );
  await askInTurn(asks, ASKS_PER_SECOND, WARM_UP_MS);
  const before = await cpuOf(servers);
  const times = await askInTurn(asks, ASKS_PER_SECOND, MEASURE_MS);
  const used = (await cpuOf(servers)).map((cpu, which) => cpu - (before[which] ?? Number.NaN));
  const pictures = await picturesOf(all);
  for (const { server } of servers) await server.stop();
  await camera.stop();
  if (pictures === 0) throw new Error('no picture was recorded');
  const [without = Number.NaN, withAll = Number.NaN, control = Number.NaN] = times.map((each) =>
    quantile(each, 0.99),
  );
  const share = ((used[1] ?? Number.NaN) - (used[0] ?? Number.NaN)) / 1_000 / MEASURE_MS / SESSIONS;
  const phones = nameOf({ inStep });
  report.add({
    what: `${phones}: processor time of one recorded session, of one core`,
    values: [share * 100],
    unit: '%',
    goal: { atMost: 2 },
  });
  report.add({ what: `${phones}: p99 without recordings again (control)`, values: [control / without] });
  report.add({ what: `${phones}: p99`, values: [withAll / without] });
  report.add({ what: `${phones}: pictures a second and session`, values: [pictures] });
}

function nameOf({ inStep }: Phones): string {
  return inStep ? 'phones send at the same moment' : 'phones send at different moments';
}

async function measured(input: RecordedInput): Promise<Measured> {
  const server = await startServer<RecordedFacts>('./recordings/recorded-server.js', input);
  const client = new SvcClient({ url: server.url, credential: { cookie: server.facts.cookie } });
  return { server, client };
}

/** Microseconds of processor time that each server has used. */
async function cpuOf(servers: readonly Measured[]): Promise<number[]> {
  return await Promise.all(servers.map(({ server }) => server.cpu()));
}

/** Returns how many pictures per second the recordings have kept, as the average of all sessions. */
async function picturesOf({ client, server }: Measured): Promise<number> {
  const rates = await Promise.all(
    server.facts.sessionIds.map(async (id) => {
      const { pictures, chunks } = await client.call('recording', { params: { id } });
      const [first, last] = [chunks[0], chunks.at(-1)];
      if (first === undefined || last === undefined) return 0;
      return (pictures * 1_000) / Math.max(1, Date.parse(last.to) - Date.parse(first.from));
    }),
  );
  return rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
}
