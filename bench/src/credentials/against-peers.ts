import { type Server, startServer } from '../child.ts';
import { compare, type Headers, latency, type Variant } from '../load.ts';
import type { BetterAuthFacts } from '../peers/better-auth-server.ts';
import type { FastifyJwtFacts, FastifyJwtInput } from '../peers/fastify-jwt-server.ts';
import type { FastifySessionFacts } from '../peers/fastify-session-server.ts';
import type { PassportFacts } from '../peers/passport-server.ts';
import { PEOPLE } from '../peers/people.ts';
import type { Report } from '../report/report.ts';
import { sized } from '../size.ts';
import { ME, serviceAndKinds, uncheckedOf } from './kinds.ts';
import type { ServiceFacts, ServiceInput } from './service-server.ts';

const ROUNDS = sized({ short: 1, usual: 3, long: 5 });
/** Requests per round with a token that the server has not verified before. */
const UNSEEN = 400;
const WARM_ROUNDS = 10;

/** Sends the same request to other libraries, with the same framework (passport: Express 5) and SQLite. */
export async function againstPeers(report: Report): Promise<void> {
  report.begin(
    'Other libraries',
    'The same load; each server returns the caller, with accounts in SQLite. Shares of the throughput of svc without checks',
  );
  const { service, checked } = await serviceAndKinds();
  const [pair] = checked as [Variant, ...Variant[]];
  const unchecked = await uncheckedOf(pair);
  const { variants, servers } = await peers();
  const figures = await compare([unchecked, ...checked, ...variants], { rounds: ROUNDS, seconds: 2 });
  const floor = figures(unchecked.name).perSecond;
  for (const { name } of variants) {
    const values = [figures(name).perSecond / floor];
    report.add({ what: name, values, plot: { name: 'credentials', label: name } });
  }
  const times = (ours: string, theirs: string) => [figures(ours).perSecond / figures(theirs).perSecond];
  report.add({
    what: "svc's pair, compared with the API key of better-auth",
    values: times('pair', 'better-auth, API key'),
  });
  report.add({
    what: "svc's bearer, compared with that of better-auth",
    values: times('bearer', 'better-auth, bearer'),
  });
  report.add({
    what: "svc's cookie, compared with that of better-auth",
    values: times('cookie', 'better-auth, cookie'),
  });
  await neverSeen(report);
  for (const server of [service, unchecked.server as Server<unknown>, ...servers]) await server.stop();
}

async function peers(): Promise<{ variants: Variant[]; servers: Server<unknown>[] }> {
  const betterAuth = await startServer<BetterAuthFacts>('./peers/better-auth-server.js');
  const plain = await startJwt(false);
  const cached = await startJwt(true);
  const session = await startServer<FastifySessionFacts>('./peers/fastify-session-server.js');
  const passport = await startServer<PassportFacts>('./peers/passport-server.js');
  const { keys, cookies, bearers } = betterAuth.facts;
  const me = (name: string, server: Server<unknown>, headers: Headers[], path = '/me') => ({
    name,
    server,
    path,
    headers,
  });
  return {
    variants: [
      me('@fastify/jwt', plain, plain.facts.bearers),
      me('@fastify/jwt with its cache', cached, cached.facts.bearers),
      me('@fastify/session', session, session.facts.cookies),
      me('Express with passport', passport, passport.facts.bearers),
      me('better-auth, API key', betterAuth, keys, '/by-key'),
      me('better-auth, bearer', betterAuth, bearers, '/by-session'),
      me('better-auth, cookie', betterAuth, cookies, '/by-session'),
    ],
    servers: [betterAuth, plain, cached, session, passport],
  };
}

function startJwt(cache: boolean): Promise<Server<FastifyJwtFacts>> {
  const input: FastifyJwtInput = { cache };
  return startServer<FastifyJwtFacts>('./peers/fastify-jwt-server.js', input);
}

/**
 * Sends one request after the other, each with its own token, to a server that is warm but has not verified that
 * token's signature before.
 */
async function neverSeen(report: Report): Promise<void> {
  const population = { users: PEOPLE, tokens: 1_000, pairs: 1, others: PEOPLE };
  const start = (input: ServiceInput) =>
    startServer<ServiceFacts>('./credentials/service-server.js', { ...input });
  const before = await start(population);
  const here = await start({ ...population, tokens: PEOPLE, pairs: PEOPLE, others: 1, signedHere: true });
  const other = await startJwt(false);
  const askAll = async (from: number, to: number) => {
    const ask = (server: Server<unknown>, path: string, headers: Headers[]) =>
      latency({ name: '', server, path, headers: headers.slice(from, to) });
    return {
      other: await ask(other, '/me', other.facts.bearers),
      before: await ask(before, ME, before.facts.sample.bearers),
      here: await ask(here, ME, here.facts.sample.bearers),
    };
  };
  for (let round = 0; round < WARM_ROUNDS; round += 1) await askAll(0, UNSEEN);
  const rounds = [];
  for (let from = UNSEEN; from < PEOPLE; from += UNSEEN) rounds.push(await askAll(from, from + UNSEEN));
  const goal = { atLeast: 1.5 };
  const what = (by: string) =>
    `a bearer never seen before, signed by ${by}, of @fastify/jwt with the same algorithm`;
  report.add({ what: what('this process'), values: rounds.map((round) => round.other / round.here), goal });
  report.add({ what: what('another one'), values: rounds.map((round) => round.other / round.before), goal });
  await Promise.all([before.stop(), here.stop(), other.stop()]);
}
