import { Agent, request } from 'node:http';
import { startServer } from './child.ts';
import { type Headers, startGrid } from './grid/grid-servers.ts';
import type { PassThroughInput } from './hub/pass-through.ts';
import { median } from './load.ts';
import type { Report } from './report/report.ts';
import { sized } from './size.ts';

const COMMANDS = sized({ short: 1_000, usual: 2_000, long: 6_000 });
const WARM_UP = sized({ short: 1_000, usual: 2_500, long: 4_000 });
const PARTS = 5;

const WAYS = ['router', 'control', 'pass-through', 'entrance'] as const;
type Way = (typeof WAYS)[number];
type Ask = (way: Way) => Promise<void>;

/**
 * Measures a cheap command through the entrance of a Selenium Grid, compared with the grid's own router, and with a
 * bare pass-through in front of the router, which shows the cost of any additional server. The three take turns.
 */
export async function gridBench(report: Report): Promise<void> {
  report.begin(
    'A command through the entrance of a Selenium Grid',
    "Compared with the same command through the grid's own router, in turns; a bare pass-through in front of the router shows the cost of any additional server",
  );
  const servers = await startGrid();
  const { origin, pathname } = new URL(servers.grid);
  const passThrough = await startServer('./hub/pass-through.js', { to: origin } satisfies PassThroughInput);
  try {
    const urls = {
      router: servers.grid,
      control: servers.grid,
      'pass-through': passThrough.url + pathname,
      entrance: servers.entrance,
    };
    const agents = new Map<Way, Agent>(WAYS.map((way) => [way, new Agent({ keepAlive: true })]));
    const ask: Ask = (way) => command(urls[way], agents.get(way) as Agent, servers.headers);
    for (const atOnce of [1, 4]) {
      await alternate(ask, WARM_UP, atOnce);
      const parts: Record<Way, number>[] = [];
      for (let part = 0; part < PARTS; part++) parts.push(await alternate(ask, COMMANDS / PARTS, atOnce));
      addRows(report, parts, atOnce);
    }
    for (const agent of agents.values()) agent.destroy();
  } finally {
    await passThrough.stop();
    servers.stop();
  }
}

/**
 * Sends `count` commands on each way. At any time only one way is used, with `atOnce` commands in parallel.
 * @returns the median of milliseconds per turn
 */
async function alternate(ask: Ask, count: number, atOnce: number): Promise<Record<Way, number>> {
  const times = new Map<Way, number[]>(WAYS.map((way) => [way, []]));
  for (let turn = 0; turn * atOnce < count; turn++) {
    for (const index of WAYS.keys()) {
      const way = WAYS[(index + turn) % WAYS.length] as Way;
      const began = performance.now();
      await Promise.all(Array.from({ length: atOnce }, () => ask(way)));
      times.get(way)?.push(performance.now() - began);
    }
  }
  return Object.fromEntries([...times].map(([way, taken]) => [way, median(taken)])) as Record<Way, number>;
}

function addRows(report: Report, parts: readonly Record<Way, number>[], atOnce: number): void {
  const ratios = (of: Way, to: Way) => parts.map((times) => times[to] / times[of]);
  const name = `${atOnce} at a time`;
  report.add({ what: `router again, ${name} (control)`, values: ratios('control', 'router') });
  report.add({ what: `pass-through, ${name}`, values: ratios('pass-through', 'router') });
  report.add({ what: `entrance, ${name}`, values: ratios('entrance', 'router'), goal: { atLeast: 0.9 } });
  const bare = ratios('entrance', 'pass-through');
  report.add({ what: `entrance against the pass-through, ${name}`, values: bare, goal: { atLeast: 0.9 } });
}

/** The router gets the credentials too, although it ignores them. */
function command(url: string, agent: Agent, headers: Headers): Promise<void> {
  return new Promise((done, failed) => {
    const asking = request(url, { agent, headers });
    asking.once('error', failed);
    asking.once('response', (answer) => {
      answer.resume();
      answer.once('end', () => {
        if (answer.statusCode === 200) done();
        else failed(new Error(`a command got the status ${answer.statusCode}`));
      });
    });
    asking.end();
  });
}
