import { Agent, request } from 'node:http';
import { type Headers, startGrid } from './grid/grid-servers.ts';
import { median } from './load.ts';

/** `BENCH_SHORT=true`: a look, not a verdict. */
const SHORT = process.env.BENCH_SHORT === 'true';
const COMMANDS = SHORT ? 1_000 : 6_000;
const WARM_UP = SHORT ? 1_000 : 4_000;
const PARTS = 5;

const WAYS = ['router', 'entrance', 'control'] as const;
type Way = (typeof WAYS)[number];

/** A cheap command through the entrance of a Selenium Grid against the same through the grid's own router, by turns. */
export async function gridBench(): Promise<void> {
  const servers = await startGrid();
  try {
    const agents = { router: newAgent(), entrance: newAgent(), control: newAgent() };
    const ask = (way: Way) => {
      const isEntrance = way === 'entrance';
      return command(isEntrance ? servers.entrance : servers.grid, agents[way], servers.headers);
    };
    await alternate(ask, WARM_UP);
    const ratios = { entrance: [] as number[], control: [] as number[] };
    for (let part = 0; part < PARTS; part++) {
      const times = await alternate(ask, COMMANDS / PARTS);
      ratios.entrance.push(median(times.router) / median(times.entrance));
      ratios.control.push(median(times.router) / median(times.control));
    }
    console.log(`grid: a command through the entrance against the grid's own router, ${COMMANDS} each`);
    console.log(`  control  ${line(ratios.control)}  (the router again; the noise)`);
    console.log(`  entrance ${line(ratios.entrance)}  (wanted: at least 0.9)`);
    for (const agent of Object.values(agents)) agent.destroy();
  } finally {
    servers.stop();
  }
}

function newAgent(): Agent {
  return new Agent({ keepAlive: true });
}

async function alternate(ask: (way: Way) => Promise<number>, count: number): Promise<Record<Way, number[]>> {
  const times: Record<Way, number[]> = { router: [], entrance: [], control: [] };
  for (let turn = 0; turn < count; turn++) {
    for (let index = 0; index < WAYS.length; index++) {
      const way = WAYS[(index + turn) % WAYS.length] as Way;
      times[way].push(await ask(way));
    }
  }
  return times;
}

/** Milliseconds it took. The router is sent the credentials too, which mean nothing to it. */
function command(url: string, agent: Agent, headers: Headers): Promise<number> {
  return new Promise((done, failed) => {
    const began = performance.now();
    const asking = request(url, { agent, headers });
    asking.once('error', failed);
    asking.once('response', (answer) => {
      answer.resume();
      answer.once('end', () => {
        if (answer.statusCode === 200) done(performance.now() - began);
        else failed(new Error(`a command was answered with ${answer.statusCode}`));
      });
    });
    asking.end();
  });
}

function line(values: readonly number[]): string {
  return `median ${median(values).toFixed(3)}  [${values.map((value) => value.toFixed(3)).join(' ')}]`;
}
