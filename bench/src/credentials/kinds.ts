import { type Server, startServer } from '../child.ts';
import type { Headers, Variant } from '../load.ts';
import type { Recorded } from './floor-server.ts';
import type { ServiceFacts } from './service-server.ts';

export const ME = '/svc/api/auth/me';
const POPULATION = { users: 10_000, tokens: 50_000, pairs: 6_400, others: 6_400 };

export const KINDS = ['pair', 'bearer', 'cookie'] as const;

/** A server with a population, and what to ask it with each kind of credential. */
export async function serviceAndKinds(): Promise<{ service: Server<ServiceFacts>; checked: Variant[] }> {
  const service = await startServer<ServiceFacts>('./credentials/service-server.js', POPULATION);
  const { pairs, bearers, cookies } = service.facts.sample;
  const kinds = { pair: pairs, bearer: bearers, cookie: cookies };
  const checked = KINDS.map((name) => ({ name, server: service, path: ME, headers: kinds[name] }));
  return { service, checked };
}

/** A server that gives the same answer, headers and all, without asking anything. */
export async function uncheckedOf({ name, server, path, headers }: Variant): Promise<Variant> {
  const recorded = await record(server.url, headers[0] as Headers);
  const floor = await startServer('./credentials/floor-server.js', recorded);
  return { name: `${name} unchecked`, server: floor, path, headers };
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
