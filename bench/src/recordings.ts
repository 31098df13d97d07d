import { SvcClient } from '@svc/client';
import { type Server, startServer } from './child.ts';
import type { CameraInput } from './live/camera.ts';
import { askAtPace, quantile } from './pace.ts';
import type { RecordedFacts, RecordedInput } from './recordings/recorded-server.ts';
import type { Report } from './report/report.ts';
import { sized } from './size.ts';

const SESSIONS = 20;
/** Maximum number of pictures per second that a recording keeps (contract 11). */
const FRAMES_PER_SECOND = 4;
const ASKS_PER_SECOND = 100;
const ROUNDS = sized({ short: 1, usual: 5, long: 20 });
const SLICE_MS = sized({ short: 3_000, usual: 5_000, long: 10_000 });
const SETTLE_MS = 2_000;

interface Measured {
  readonly server: Server<RecordedFacts>;
  readonly client: SvcClient;
  readonly times: number[];
  /** Microseconds of processor time. */
  cpu: number;
}

/**
 * Measures the cost of 20 recorded sessions for the server and for the requests of other users. Two servers with the
 * same sessions take turns; one of them records its sessions.
 */
export async function recordingsBench(report: Report): Promise<void> {
  report.begin(
    'Recorded sessions',
    `GET /auth/me, ${ASKS_PER_SECOND} a second, on a server that records ${SESSIONS} sessions with ${FRAMES_PER_SECOND} pictures of 40 kB a second each, against one that records none; ${ROUNDS} rounds of ${SLICE_MS} ms each`,
  );
  const filming: CameraInput = { framesPerSecond: FRAMES_PER_SECOND };
  const camera = await startServer('./live/camera.js', filming);
  const off = await measured({ camera: camera.url, sessions: SESSIONS, recording: 'off' });
  const all = await measured({ camera: camera.url, sessions: SESSIONS, recording: 'all' });
  await new Promise((settled) => setTimeout(settled, SETTLE_MS));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const each of round % 2 === 0 ? [off, all] : [all, off]) {
      // The first round warms up code and caches.
      if (round === 0) await slice({ ...each, times: [] });
      else await slice(each);
    }
  }
  const pictures = await picturesOf(all);
  for (const { server } of [off, all]) await server.stop();
  await camera.stop();
  if (pictures === 0) throw new Error('no picture was recorded');
  const p99 = ({ times }: Measured) => quantile(times, 0.99);
  const share = (all.cpu - off.cpu) / 1_000 / (ROUNDS * SLICE_MS) / SESSIONS;
  report.add({
    what: 'processor time of one recorded session, of one core',
    values: [share * 100],
    unit: '%',
    goal: { atMost: 2 },
  });
  report.add({ what: 'p99', values: [p99(all) / p99(off)], goal: { atMost: 1.2 } });
  report.add({ what: 'pictures a second and session', values: [pictures] });
}

async function measured(input: RecordedInput): Promise<Measured> {
  const server = await startServer<RecordedFacts>('./recordings/recorded-server.js', input);
  const client = new SvcClient({ url: server.url, credential: { cookie: server.facts.cookie } });
  return { server, client, times: [], cpu: 0 };
}

async function slice(each: Measured): Promise<void> {
  const before = await each.server.cpu();
  each.times.push(...(await askAtPace(() => each.client.me(), ASKS_PER_SECOND, SLICE_MS)));
  each.cpu += (await each.server.cpu()) - before;
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
