import { startServer } from '../child.ts';
import { latency, median } from '../load.ts';
import type { Report } from '../report/report.ts';
import { sized } from '../size.ts';
import { ME } from './kinds.ts';
import type { ServiceFacts } from './service-server.ts';

const FEW = 50_000;
const MORE = sized({ short: [200_000], usual: [1_000_000], long: [1_000_000, 10_000_000] });
const ASKED = 8_000;
const CHUNK = 500;
const WARM_UP = 8;

/** Milliseconds; one median for each chunk of requests. */
interface Latencies {
  readonly first: readonly number[];
  readonly again: readonly number[];
}

/**
 * Sends one request after the other, each with a token not used before; of 1,000,000 tokens most are not cached.
 * Servers run one after the other, because each still writes its audit trail for a while.
 */
export async function manyTokens(report: Report): Promise<void> {
  report.begin(
    'More tokens',
    `One request at a time, each with a key pair not used before, compared with ${FEW} tokens`,
  );
  const few = await latencies(FEW);
  const plot = (label: string) => ({ name: 'growth', label, isOurs: true }) as const;
  for (const tokens of MORE) {
    const many = await latencies(tokens);
    const ratios = (base: readonly number[]) => many.first.map((each) => each / median(base));
    const label = `${tokens / 1e6} million tokens`;
    const goal = { atMost: 1.3 };
    report.add({ what: label, values: ratios(few.first), goal, plot: plot(label) });
    const first = { what: `${label}, the ${FEW} used before`, values: ratios(few.again) };
    report.add({ ...first, goal: { atMost: 1.15 } });
  }
}

/** Measures requests with tokens that are used for the first time, and then again, once the server is warm. */
async function latencies(tokens: number): Promise<Latencies> {
  const population = { users: 10_000, tokens, pairs: ASKED, others: 1 };
  const server = await startServer<ServiceFacts>('./credentials/service-server.js', population);
  const { pairs } = server.facts.sample;
  const first: number[] = [];
  const again: number[] = [];
  for (let from = 0; from < pairs.length; from += CHUNK) {
    const variant = { name: 'pair', server, path: ME, headers: pairs.slice(from, from + CHUNK) };
    first.push(await latency(variant));
    again.push(await latency(variant));
  }
  await server.stop();
  return { first: first.slice(WARM_UP), again: again.slice(WARM_UP) };
}
