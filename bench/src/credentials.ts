import { startServer } from './child.ts';
import type { BetterAuthFacts } from './credentials/better-auth-server.ts';
import type { Recorded } from './credentials/floor-server.ts';
import type { ServiceFacts } from './credentials/service-server.ts';
import { compare, type Headers, latency, median, type Variant } from './load.ts';

const ME = '/svc/api/auth/me';
const POPULATION = { users: 10_000, tokens: 50_000, pairs: 6_400, others: 6_400 };
const MANY = { users: 10_000, tokens: 1_000_000, pairs: 4_000, others: 1 };
const FEW = { ...MANY, tokens: 50_000 };

/** What a credential check costs: against no check, with twenty times as many tokens, and against better-auth. */
export async function credentialsBench(): Promise<void> {
  const service = await startServer<ServiceFacts>('./credentials/service-server.js', POPULATION);
  const { pairs, bearers, cookies } = service.facts.sample;
  const kinds = { pair: pairs, bearer: bearers, cookie: cookies };
  const checked = Object.entries(kinds).map(([name, headers]) => ({
    name,
    url: service.url,
    path: ME,
    headers,
  }));
  await againstNoCheck(checked);
  await againstBetterAuth(checked);
  await service.stop();
  await manyAgainstFew();
}

async function againstNoCheck(checked: readonly Variant[]): Promise<void> {
  const floors = await Promise.all(
    checked.map(async ({ name, url, headers }) => {
      const recorded = await record(url, headers[0] as Headers);
      return { name, server: await startServer('./credentials/floor-server.js', recorded) };
    }),
  );
  const unchecked = checked.map(({ name, headers }, index) => ({
    name: `${name} unchecked`,
    url: floors[index]?.server.url ?? '',
    path: ME,
    headers,
  }));
  const variants = checked.flatMap((variant, index) => [variant, unchecked[index] as Variant]);
  const found = await compare(variants, { rounds: 5, seconds: 3 });
  for (const { name } of checked) {
    const [with_, without] = [found.get(name) ?? 0, found.get(`${name} unchecked`) ?? 1];
    report(`${name}: share of the same answer unchecked`, with_ / without, '>= 0.70');
  }
  for (const { server } of floors) await server.stop();
}

async function againstBetterAuth(checked: readonly Variant[]): Promise<void> {
  const other = await startServer<BetterAuthFacts>('./credentials/better-auth-server.js');
  const theirs = [
    { name: 'their key', url: other.url, path: '/by-key', headers: other.facts.keys },
    { name: 'their cookie', url: other.url, path: '/by-cookie', headers: other.facts.cookies },
  ];
  const found = await compare([...checked.filter(({ name }) => name !== 'bearer'), ...theirs], {
    rounds: 3,
    seconds: 3,
  });
  const ratio = (ours: string, its: string) => (found.get(ours) ?? 0) / (found.get(its) ?? 1);
  report('key pair: times the API key look-up of better-auth', ratio('pair', 'their key'), '>= 25');
  report('cookie: times the session look-up of better-auth', ratio('cookie', 'their cookie'), '>= 25');
  await other.stop();
}

/** One request after the other, each with a token that was not asked about before. */
async function manyAgainstFew(): Promise<void> {
  const few = await startServer<ServiceFacts>('./credentials/service-server.js', FEW);
  const many = await startServer<ServiceFacts>('./credentials/service-server.js', MANY);
  const ratios: number[] = [];
  const chunk = 500;
  for (let from = 0; from < FEW.pairs; from += chunk) {
    const [a, b] = await Promise.all(
      [few, many].map(async ({ url, facts }) => ({
        name: url,
        url,
        path: ME,
        headers: facts.sample.pairs.slice(from, from + chunk),
      })),
    );
    const fewMs = await latency(a as Variant);
    const manyMs = await latency(b as Variant);
    // The first chunk warms both up.
    if (from > 0) ratios.push(manyMs / fewMs);
  }
  report('1,000,000 tokens: times the latency of 50,000', median(ratios), '<= 1.3');
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

function report(what: string, ratio: number, goal: string): void {
  console.log(`${what.padEnd(60)} ${ratio.toFixed(2).padStart(8)}   (goal ${goal})`);
}
