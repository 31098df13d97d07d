import { type Server, startServer } from '../child.ts';
import { compare, type Headers, latency, type Variant } from '../load.ts';
import type { BetterAuthFacts } from '../peers/better-auth-server.ts';
import type { FastifyJwtFacts, FastifyJwtInput } from '../peers/fastify-jwt-server.ts';
import type { FastifySessionFacts } from '../peers/fastify-session-server.ts';
import type { PassportFacts } from '../peers/passport-server.ts';
import type { Report } from '../report/report.ts';
import { sized } from '../size.ts';
import { serviceAndKinds, uncheckedOf } from './kinds.ts';

const ROUNDS = sized({ short: 1, usual: 3, long: 5 });
const UNSEEN = 2_000;

/** The same question to other libraries, over the same framework (passport: Express 5) and SQLite. */
export async function againstPeers(report: Report): Promise<void> {
  report.begin(
    'Other libraries',
    'The same load; each answers who is asking, with accounts in SQLite. As a share of the unchecked answer of svc',
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
    what: "svc's pair, times the API key of better-auth",
    values: times('pair', 'better-auth, API key'),
  });
  report.add({
    what: "svc's bearer, times the one of better-auth",
    values: times('bearer', 'better-auth, bearer'),
  });
  report.add({
    what: "svc's cookie, times the one of better-auth",
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

/** A signature has to be verified once by everybody: one request after the other, each with a token of its own. */
async function neverSeen(report: Report): Promise<void> {
  const fresh = await startServer<{ sample: { bearers: Headers[] } }>('./credentials/service-server.js', {
    users: 10_000,
    tokens: 1_000,
    pairs: 1,
    others: 2 * UNSEEN,
  });
  const other = await startJwt(false);
  const ours = fresh.facts.sample.bearers;
  const theirs = other.facts.bearers;
  const ask = (server: Server<unknown>, path: string, headers: Headers[]) =>
    latency({ name: '', server, path, headers });
  const ratios: number[] = [];
  for (let from = 0; from < UNSEEN; from += UNSEEN / 10) {
    const part = [from, from + UNSEEN / 10] as const;
    const us = await ask(fresh, '/svc/api/auth/me', ours.slice(...part));
    ratios.push((await ask(other, '/me', theirs.slice(...part))) / us);
  }
  const what = 'a bearer never seen before, of @fastify/jwt with the same algorithm';
  report.add({ what, values: ratios.slice(2), goal: { atLeast: 1.5 } });
  await Promise.all([fresh.stop(), other.stop()]);
}
