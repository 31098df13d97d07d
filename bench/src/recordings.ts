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
const ROUNDS = sized({ short: 1, usual: 11, long: 25 });
const SLICE_MS = sized({ short: 3_000, usual: 4_000, long: 10_000 });
const SETTLE_MS = 2_000;

interface Measured {
  readonly server: Server<RecordedFacts>;
  readonly client: SvcClient;
  /** p99 of each round, in milliseconds. */
  readonly p99s: number[];
  /** Microseconds of processor time. */
  cpu: number;
}

/**
 * Measures the cost of 20 recorded sessions for the server and for the requests of other users. Three servers with the
 * same sessions take turns. One of them records its sessions, and the two others show the noise. Each p99 is compared
 * with a p99 of the same round, because other work on the machine changes from round to round.
 */
export async function recordingsBench(report: Report): Promise<void> {
  report.begin(
    'Recorded sessions',
    `GET /auth/me, ${ASKS_PER_SECOND} a second, on a server that records ${SESSIONS} sessions with ${FRAMES_PER_SECOND} pictures of 40 kB a second each, against one that records none; ${ROUNDS} rounds of ${SLICE_MS} ms each`,
  );
  const filming: CameraInput = { framesPerSecond: FRAMES_PER_SECOND };
  const camera = await startServer('./live/camera.js', filming);
  const input = { camera: camera.url, sessions: SESSIONS };
  const off = await measured({ ...input, recording: 'off' });
  const all = await measured({ ...input, recording: 'all' });
  const again = await measured({ ...input, recording: 'off' });
  const servers = [off, all, again];
  await new Promise((settled) => setTimeout(settled, SETTLE_MS));
  // The first slices warm up code and caches.
  for (const each of servers) await slice({ ...each, p99s: [] });
  for (let round = 0; round < ROUNDS; round++) {
    for (const each of round % 2 === 0 ? servers : servers.toReversed()) await slice(each);
  }
  const pictures = await picturesOf(all);
  for (const { server } of servers) await server.stop();
  await camera.stop();
  if (pictures === 0) throw new Error('no picture was recorded');
  const ratios = ({ p99s }: Measured) => p99s.map((p99, round) => p99 / (off.p99s[round] ?? Number.NaN));
  const share = (all.cpu - off.cpu) / 1_000 / (ROUNDS * SLICE_MS) / SESSIONS;
  report.add({
    what: 'processor time of one recorded session, of one core',
    values: [share * 100],
    unit: '%',
    goal: { atMost: 2 },
  });
  report.add({ what: 'p99 without recordings again (control)', values: ratios(again) });
  report.add({ what: 'p99', values: ratios(all), goal: { atMost: 1.2 } });
  report.add({ what: 'pictures a second and session', values: [pictures] });
}

async function measured(input: RecordedInput): Promise<Measured> {
  const server = await startServer<RecordedFacts>('./recordings/recorded-server.js', input);
  const client = new SvcClient({ url: server.url, credential: { cookie: server.facts.cookie } });
  return { server, client, p99s: [], cpu: 0 };
}

async function slice(each: Measured): Promise<void> {
  const before = await each.server.cpu();
  const times = await askAtPace(() => each.client.me(), ASKS_PER_SECOND, SLICE_MS);
  each.p99s.push(quantile(times, 0.99));
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
