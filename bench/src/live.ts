import { existsSync, readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { performance } from 'node:perf_hooks';
import { startServer } from './child.ts';
import type { ReadersInput } from './live/event-readers.ts';
import type { LiveFacts, Rates } from './live/live-server.ts';

const READERS = 200;
const RATES: Rates = { events: 10, commands: 40 };
// Below what one caller may ask (specification 8.1).
const REQUESTS_A_SECOND = 40;
const SHORT = process.env.BENCH_SHORT === 'true';
const REST_SECONDS = SHORT ? 10 : 60;
const WATCHED_SECONDS = SHORT ? 30 : 300;
const MIB = 1024 * 1024;

/** (issue 13) What many who watch cost the others: `GET /auth/me` with 200 event connections against none, and memory. */
export async function liveBench(): Promise<void> {
  const server = await startServer<LiveFacts>('./live/live-server.js', RATES);
  const { cookie, pid } = server.facts;
  await quantiles(server.url, cookie, 3);
  const rest = await quantiles(server.url, cookie, REST_SECONDS);
  const readers = await startServer('./live/event-readers.js', {
    url: server.url,
    cookie,
    readers: READERS,
  } satisfies ReadersInput);
  // Connections and history have settled by then.
  await quantiles(server.url, cookie, 5);
  const before = memory(pid);
  const cpu = await server.cpu();
  const watched = await quantiles(server.url, cookie, WATCHED_SECONDS);
  const busy = (((await server.cpu()) - cpu) / 1e6 / WATCHED_SECONDS) * 100;
  const after = memory(pid);
  await readers.stop();
  const again = await quantiles(server.url, cookie, REST_SECONDS);
  await server.stop();
  // What else the machine did changed meanwhile: the rest before and after, whichever was slower.
  const base = { p50: Math.max(rest.p50, again.p50), p99: Math.max(rest.p99, again.p99) };
  console.log(
    `live: ${READERS} event connections, ${RATES.events} events and ${RATES.commands} commands a second, ${WATCHED_SECONDS} s`,
  );
  console.log(`  GET /auth/me p50 against rest: ${(watched.p50 / base.p50).toFixed(2)}`);
  console.log(`  GET /auth/me p99 against rest: ${(watched.p99 / base.p99).toFixed(2)} (wanted: at most 2)`);
  console.log(
    `  p99: ${watched.p99.toFixed(2)} ms, at rest ${rest.p99.toFixed(2)} before and ${again.p99.toFixed(2)} after`,
  );
  console.log(`  processor time of the server: ${busy.toFixed(0)} %`);
  if (before !== undefined && after !== undefined)
    console.log(
      `  memory: ${(before / MIB).toFixed(0)} MiB, then ${(after / MIB).toFixed(0)} MiB: ${(after / before).toFixed(2)} (wanted: about 1)`,
    );
}

/** Milliseconds of requests sent at fixed times, whether or not the last was answered. */
async function quantiles(
  url: string,
  cookie: string,
  seconds: number,
): Promise<{ p50: number; p99: number }> {
  const agent = new Agent({ keepAlive: true });
  const times: number[] = [];
  const began = performance.now();
  const asked: Promise<void>[] = [];
  for (let count = 0; count < seconds * REQUESTS_A_SECOND; count += 1) {
    const due = began + (count * 1000) / REQUESTS_A_SECOND;
    const wait = due - performance.now();
    if (wait > 0) await new Promise((done) => setTimeout(done, wait));
    asked.push(
      ask(`${url}/svc/api/auth/me`, cookie, agent).then((took) => {
        times.push(took);
      }),
    );
  }
  await Promise.all(asked);
  agent.destroy();
  times.sort((a, b) => a - b);
  const at = (part: number) => times[Math.floor(times.length * part)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

function ask(url: string, cookie: string, agent: Agent): Promise<number> {
  const began = performance.now();
  return new Promise((done, failed) => {
    get(url, { headers: { cookie }, agent }, (answer) => {
      if (answer.statusCode !== 200) failed(new Error(`${url}: ${answer.statusCode}`));
      answer.resume().once('end', () => done(performance.now() - began));
    }).once('error', failed);
  });
}

/** Bytes a process holds; undefined where there is no /proc. */
function memory(pid: number): number | undefined {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) return undefined;
  const [, kib] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(file, 'utf8')) ?? [];
  return kib === undefined ? undefined : Number(kib) * 1024;
}
