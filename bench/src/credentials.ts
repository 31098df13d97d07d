import { type Server, startServer } from './child.ts';
import type { BetterAuthFacts } from './credentials/better-auth-server.ts';
import type { Recorded } from './credentials/floor-server.ts';
import type { ServiceFacts } from './credentials/service-server.ts';
import { compare, type Figures, type Headers, latency, median, type Variant } from './load.ts';

const ME = '/svc/api/auth/me';
const POPULATION = { users: 10_000, tokens: 50_000, pairs: 6_400, others: 6_400 };
const MANY = { users: 10_000, tokens: 1_000_000, pairs: 8_000, others: 1 };
const FEW = { ...MANY, tokens: 50_000 };
const CHUNK = 500;
const WARM_UP = 8;
const KINDS = ['pair', 'bearer', 'cookie'];
const STARTS = 3;

/** What a credential check costs: against no check, with twenty times as many tokens, and against better-auth. */
export async function credentialsBench(): Promise<void> {
  await againstNoCheck();
  await againstBetterAuth();
  await manyAgainstFew();
}

/** A server with a population, and what to ask it with each kind of credential. */
async function serviceAndKinds(): Promise<{ service: Server<ServiceFacts>; checked: Variant[] }> {
  const service = await startServer<ServiceFacts>('./credentials/service-server.js', POPULATION);
  const { pairs, bearers, cookies } = service.facts.sample;
  const kinds = { pair: pairs, bearer: bearers, cookie: cookies };
  const checked = Object.entries(kinds).map(([name, headers]) => ({
    name,
    server: service,
    path: ME,
    headers,
  }));
  return { service, checked };
}

/** Several starts: one process differs from the next by a few per cent, whatever it runs. */
async function againstNoCheck(): Promise<void> {
  const shares = new Map<string, Share[]>(KINDS.map((kind) => [kind, []]));
  for (let start = 0; start < STARTS; start += 1) {
    for (const [kind, share] of await sharesOfOneStart()) shares.get(kind)?.push(share);
  }
  for (const [kind, seen] of shares) {
    report(`${kind}: share of the same answer unchecked, ${STARTS} starts`, medianShare(seen), '>= 0.70');
  }
}

async function sharesOfOneStart(): Promise<Map<string, Share>> {
  const { service, checked } = await serviceAndKinds();
  const unchecked = await Promise.all(
    checked.map(async ({ name, server, path, headers }) => {
      const recorded = await record(server.url, headers[0] as Headers);
      const floor = await startServer('./credentials/floor-server.js', recorded);
      return { name: `${name} unchecked`, server: floor, path, headers };
    }),
  );
  const figures = await compare(
    checked.flatMap((variant, index) => [variant, unchecked[index] as Variant]),
    { rounds: 3, seconds: 2 },
  );
  for (const { server } of unchecked) await server.stop();
  await service.stop();
  return new Map(checked.map(({ name }) => [name, shareOf(figures(name), figures(`${name} unchecked`))]));
}

async function againstBetterAuth(): Promise<void> {
  const { service, checked } = await serviceAndKinds();
  const other = await startServer<BetterAuthFacts>('./credentials/better-auth-server.js');
  const theirs = [
    { name: 'their key', server: other, path: '/by-key', headers: other.facts.keys },
    { name: 'their session', server: other, path: '/by-cookie', headers: other.facts.cookies },
  ];
  const ours = checked.filter(({ name }) => name !== 'bearer');
  const figures = await compare([...ours, ...theirs], { rounds: 3, seconds: 2 });
  const times = (name: string, their: string) => shareOf(figures(name), figures(their));
  report('pair: times the API key of better-auth', times('pair', 'their key'), '>= 25');
  report('cookie: times the session of better-auth', times('cookie', 'their session'), '>= 25');
  await other.stop();
  await service.stop();
}

/**
 * One request after the other, each by a token nobody asked about before: of 1,000,000 most are not in memory. One
 * server after the other, since each still writes its audit trail for a while after it was asked.
 */
async function manyAgainstFew(): Promise<void> {
  const few = await latencies(FEW);
  const many = await latencies(MANY);
  const tell = (what: string, ratio: number) =>
    console.log(`${what.padEnd(56)} ${ratio.toFixed(2)} (goal <= 1.3)`);
  tell('pair: latency with 1,000,000 tokens to that with 50,000', many.first / few.first);
  tell('pair: the same, the 50,000 all in memory', many.first / few.again);
}

/** Medians in milliseconds of asking by a token for the first time and again, once the server is warm. */
async function latencies(population: typeof MANY): Promise<{ first: number; again: number }> {
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
  return { first: median(first.slice(WARM_UP)), again: median(again.slice(WARM_UP)) };
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
interface Share {
  readonly byTime: number;
  readonly byCpu: number;
}

function shareOf(ours: Figures, other: Figures): Share {
  return { byTime: ours.perSecond / other.perSecond, byCpu: ours.perCpuSecond / other.perCpuSecond };
}

function medianShare(shares: readonly Share[]): Share {
  return {
    byTime: median(shares.map(({ byTime }) => byTime)),
    byCpu: median(shares.map(({ byCpu }) => byCpu)),
  };
}

function report(what: string, { byTime, byCpu }: Share, goal: string): void {
  console.log(
    `${what.padEnd(56)} ${byTime.toFixed(2)}, by processor time ${byCpu.toFixed(2)} (goal ${goal})`,
  );
}
