import { Agent, request } from 'node:http';
import { SvcClient } from '@svc/client';
import { startLab } from './hub/lab-process.ts';
import { askAtPace, quantile } from './pace.ts';
import type { Report } from './report/report.ts';
import { sized } from './size.ts';

const ROUNDS = sized({ short: 1, usual: 3, long: 10 });
const ROUND_MS = 4000;
const ASKS_PER_SECOND = 100;
const CREATES_PER_SECOND = 20;
const MOST_BYTES = 512 * 1024;
const MOST_VALUES = 20_000;

/**
 * A kind of create-session request that an unauthenticated client can send. Each call makes a body that the server has
 * not parsed before.
 */
interface HostileCreate {
  readonly name: string;
  readonly status: number;
  readonly goal?: { readonly atMost: number };
  body(): Buffer;
}

/** Milliseconds. */
const GOAL = { atMost: 100 };

const times = (text: string, bytes: number): string => text.repeat(Math.floor(bytes / text.length));

const HOSTILE: readonly HostileCreate[] = [
  { name: 'nested arrays', status: 400, goal: GOAL, body: () => Buffer.from(times('[', MOST_BYTES)) },
  {
    name: 'empty objects',
    status: 400,
    goal: GOAL,
    body: () => Buffer.from(`[${times('{},', MOST_BYTES - 3)}1]`),
  },
  {
    name: 'nested arrays of 4 MiB',
    status: 413,
    goal: GOAL,
    body: () => Buffer.from(times('[', 8 * MOST_BYTES)),
  },
  { name: 'the costliest that is within the bounds', status: 400, body: withinBounds },
];

let made = 0;

/** Every object has a member of its own name, so that V8 makes a new hidden class for each. */
function withinBounds(): Buffer {
  const objects = MOST_VALUES / 2 - 10;
  const filler = 'x'.repeat(Math.floor(MOST_BYTES / objects) - 26);
  const extra = Array.from(
    { length: objects },
    () => `{"${(made++).toString(36).padStart(8, '_')}${filler}":1}`,
  );
  const pair = '{"accessKey":"svc_x","token":"svct_x"}';
  return Buffer.from(
    `{"capabilities":{"alwaysMatch":{"svc:options":${pair},"appium:extra":[${extra.join(',')}]}}}`,
  );
}

/** Measures the delay that create-session requests of unauthenticated clients cause for other requests. */
export async function createsBench(report: Report): Promise<void> {
  report.begin(
    'While unauthenticated clients create sessions',
    `p99 of GET /svc/api/health, ${ASKS_PER_SECOND} a second, with ${CREATES_PER_SECOND} creates a second that are made to be costly; sign-in for sessions required; ${ROUNDS} rounds of ${ROUND_MS} ms each`,
  );
  const lab = await startLab({ SVC_REQUIRE_SESSION_TOKEN: 'true', SVC_LOG_LEVEL: 'silent' });
  const client = new SvcClient({ url: lab.url });
  const ask = () => askAtPace(() => client.call('health'), ASKS_PER_SECOND, ROUND_MS);
  try {
    await ask();
    const rest: number[] = [];
    for (let round = 0; round < ROUNDS; round++) rest.push(quantile(await ask(), 0.99));
    report.add({ what: 'at rest', values: rest, unit: 'ms' });
    for (const create of HOSTILE) {
      const p99: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const stop = offer(lab.url, create);
        p99.push(quantile(await ask(), 0.99));
        await stop();
      }
      report.add({
        what: `with ${create.name}`,
        values: p99,
        unit: 'ms',
        ...(create.goal && { goal: create.goal }),
      });
    }
  } finally {
    await lab.stop();
  }
}

/**
 * Sends create-session requests at a fixed rate until the returned function is called. That function rejects if one of
 * the requests was not refused.
 */
function offer(url: string, { name, status, body }: HostileCreate): () => Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const ready = Array.from({ length: (ROUND_MS / 1000) * CREATES_PER_SECOND }, body);
  const answers: Promise<number>[] = [];
  const timer = setInterval(() => {
    const next = ready.pop();
    if (next !== undefined) answers.push(send(url, next, agent));
  }, 1000 / CREATES_PER_SECOND);
  return async () => {
    clearInterval(timer);
    const statuses = await Promise.all(answers);
    agent.destroy();
    const other = statuses.find((each) => each !== status);
    if (other !== undefined) throw new Error(`a create with ${name} got the status ${other}`);
  };
}

function send(url: string, body: Buffer, agent: Agent): Promise<number> {
  return new Promise((done, failed) => {
    const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
    const sending = request(`${url}/session`, { method: 'POST', agent, headers }, (answer) => {
      answer.resume().once('end', () => done(answer.statusCode ?? 0));
    });
    sending.once('error', failed).end(body);
  });
}
