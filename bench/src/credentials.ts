import { type Server, startServer } from './child.ts';
import type { BetterAuthFacts } from './credentials/better-auth-server.ts';
import type { Recorded } from './credentials/floor-server.ts';
import type { ServiceFacts } from './credentials/service-server.ts';
import { compare, type Figures, type Headers, latency, median, type Variant } from './load.ts';

const ME = '/svc/api/auth/me';
const POPULATION = { users: 10_000, tokens: 50_000, pairs: 6_400, others: 6_400 };
const MANY = { users: 10_000, tokens: 1_000_000, pairs: 4_000, others: 1 };
const FEW = { ...MANY, tokens: 50_000 };
const CHUNK = 500;

/** What a credential check costs: against no check, with twenty times as many tokens, and against better-auth. */
export async function credentialsBench(): Promise<void> {
  const service = await startServer<ServiceFacts>('./credentials/service-server.js', POPULATION);
  const { pairs, bearers, cookies } = service.facts.sample;
  const kinds = { pair: pairs, bearer: bearers, cookie: cookies };
  const checked = Object.entries(kinds).map(([name, headers]) => ({
    name,
    server: service,
    path: ME,
    headers,
  }));
  await againstNoCheck(checked);
  await againstBetterAuth(checked);
  await service.stop();
  await manyAgainstFew();
}

async function againstNoCheck(checked: readonly Variant[]): Promise<void> {
  const unchecked = await Promise.all(
    checked.map(async ({ name, server, path, headers }) => {
      const recorded = await record(server.url, headers[0] as Headers);
      const floor = await startServer('./credentials/floor-server.js', recorded);
      return { name: `${name} unchecked`, server: floor, path, headers };
    }),
  );
  const figures = await compare(
    checked.flatMap((variant, index) => [variant, unchecked[index] as Variant]),
    { rounds: 4, seconds: 2 },
  );
  for (const { name } of checked) {
    const what = `${name}: share of the same answer unchecked`;
    report(what, figures(name), figures(`${name} unchecked`), '>= 0.70');
  }
  for (const { server } of unchecked) await server.stop();
}

async function againstBetterAuth(checked: readonly Variant[]): Promise<void> {
  const other = await startServer<BetterAuthFacts>('./credentials/better-auth-server.js');
  const theirs = [
    { name: 'their key', server: other, path: '/by-key', headers: other.facts.keys },
    { name: 'their session', server: other, path: '/by-cookie', headers: other.facts.cookies },
  ];
  const ours = checked.filter(({ name }) => name !== 'bearer');
  const figures = await compare([...ours, ...theirs], { rounds: 3, seconds: 2 });
  report('pair: times the API key of better-auth', figures('pair'), figures('their key'), '>= 25');
  report('cookie: times the session of better-auth', figures('cookie'), figures('their session'), '>= 25');
  await other.stop();
}

/** One request after the other: 50,000 tokens are all in memory, of 1,000,000 each asked about is not. */
async function manyAgainstFew(): Promise<void> {
  const few = await startServer<ServiceFacts>('./credentials/service-server.js', FEW);
  const many = await startServer<ServiceFacts>('./credentials/service-server.js', MANY);
  const ratios: number[] = [];
  for (let from = 0; from < FEW.pairs; from += CHUNK) {
    const headers = ({ facts }: Server<ServiceFacts>) => facts.sample.pairs.slice(from, from + CHUNK);
    const warm = { name: 'pair', server: few, path: ME, headers: headers(few) };
    const cold = { name: 'pair', server: many, path: ME, headers: headers(many) };
    await latency(warm);
    ratios.push((await latency(cold)) / (await latency(warm)));
  }
  // The first chunk finds servers that have hardly answered anything yet.
  const ratio = median(ratios.slice(1));
  console.log(
    `${'pair: latency with 1,000,000 tokens to that with 50,000'.padEnd(56)} ${ratio.toFixed(2)} (goal <= 1.3)`,
  );
  await few.stop();
  await many.stop();
}

/** One answer of the service with the headers that are its own. */
async function record(url: string, headers: Headers): Promise<Recorded> {
  // The first answer to a cookie renews it; the second is what all others are like.
  await fetch(url + ME, { headers });
  const answer = await fetch(url + ME, { headers });
  const own = [...answer.headers].filter(
    ([name]) => !/^(?:date|connection|keep-alive|content-|transfer-)/.test(name),
  );
  return { body: (await answer.json()) as Recorded['body'], headers: Object.fromEntries(own) };
}

/** By answers a second, and by what a second of the server's processor time gives. */
function report(what: string, ours: Figures, other: Figures, goal: string): void {
  const byTime = ours.perSecond / other.perSecond;
  const byCpu = ours.perCpuSecond / other.perCpuSecond;
  console.log(
    `${what.padEnd(56)} ${byTime.toFixed(2)}, by processor time ${byCpu.toFixed(2)} (goal ${goal})`,
  );
}
