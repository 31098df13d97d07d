import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Server, startServer } from '../child.ts';
import type { Headers, Variant } from '../load.ts';
import type { Recorded, RecordedFile } from './floor-server.ts';
import type { ServiceFacts } from './service-server.ts';

export const ME = '/svc/api/auth/me';
const POPULATION = { users: 10_000, tokens: 50_000, pairs: 6_400, others: 6_400 };
/** Requests in flight while responses are recorded. */
const AT_ONCE = 32;

export const KINDS = ['pair', 'bearer', 'cookie'] as const;

/** Starts a server with accounts and credentials. Returns it with the requests for each kind of credential. */
export async function serviceAndKinds(): Promise<{ service: Server<ServiceFacts>; checked: Variant[] }> {
  const service = await startServer<ServiceFacts>('./credentials/service-server.js', POPULATION);
  const { pairs, bearers, cookies } = service.facts.sample;
  const kinds = { pair: pairs, bearer: bearers, cookie: cookies };
  const checked = KINDS.map((name) => ({ name, server: service, path: ME, headers: kinds[name] }));
  return { service, checked };
}

/** A server that sends the same responses, headers included, without checking anything. */
export async function uncheckedOf({ name, server, path, headers }: Variant): Promise<Variant> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const input: RecordedFile = { file: join(folder, 'recorded.json') };
  writeFileSync(input.file, JSON.stringify(await record(server.url + path, headers)));
  const floor = await startServer('./credentials/floor-server.js', input);
  rmSync(folder, { recursive: true });
  return { name: `${name} unchecked`, server: floor, path, headers };
}

/** Records the body of every caller, and the headers that the service itself adds. */
async function record(url: string, callers: readonly Headers[]): Promise<Recorded> {
  const bodies: Recorded['bodies'][number][] = [];
  for (let from = 0; from < callers.length; from += AT_ONCE) {
    bodies.push(...(await Promise.all(callers.slice(from, from + AT_ONCE).map((each) => bodyOf(url, each)))));
  }
  // The first response to a cookie renews the cookie. This request is not the first with its cookie, so its response
  // has the usual headers.
  const { headers } = await fetch(url, { headers: callers[0] as Headers });
  const own = [...headers].filter(
    ([name]) => !/^(?:date|connection|keep-alive|content-|transfer-)/.test(name),
  );
  return { bodies, headers: Object.fromEntries(own) };
}

async function bodyOf(url: string, headers: Headers): Promise<Recorded['bodies'][number]> {
  const response = await fetch(url, { headers });
  if (response.status !== 200) throw new Error(`${url} responded with ${response.status}`);
  return (await response.json()) as Recorded['bodies'][number];
}
