import { Agent, request } from 'node:http';
import autocannon from 'autocannon';
import type { Server } from './child.ts';

export type Headers = Readonly<Record<string, string>>;

/** A server with the headers to send, one set after the other. */
export interface Variant {
  readonly name: string;
  readonly server: Pick<Server<unknown>, 'url' | 'cpu'>;
  readonly path: string;
  readonly headers: readonly Headers[];
}

/** Throughput of a server: responses per second, and per second of its processor time. */
export interface Figures {
  readonly perSecond: number;
  /**
   * Responses per second of the server's processor time. Other work on the same cores hardly affects this figure; on an
   * idle machine it equals the other figure.
   */
  readonly perCpuSecond: number;
}

const CONNECTIONS = 32;
const WARM_SECONDS = 2;

/** Fails unless every response is a 200. */
async function load({ name, server, path, headers }: Variant, seconds: number): Promise<Figures> {
  const requestsWith = (each: Headers) => ({ method: 'GET' as const, path, headers: { ...each } });
  let connection = 0;
  const before = await server.cpu();
  const sleep = stayAwake();
  const { requests, non2xx, errors } = await autocannon({
    url: server.url + path,
    connections: CONNECTIONS,
    duration: seconds,
    // Every connection has its own credentials, so that no credential is cached only because another connection has
    // just used it.
    setupClient: (client) => {
      const own = headers.filter((_, index) => index % CONNECTIONS === connection % CONNECTIONS);
      connection += 1;
      client.setRequests(own.map(requestsWith));
    },
  });
  sleep();
  if (non2xx + errors > 0) throw new Error(`${name}: ${non2xx + errors} of ${requests.total} were not 200`);
  const used = (await server.cpu()) - before;
  return { perSecond: requests.average, perCpuSecond: (requests.total / used) * 1e6 };
}

/**
 * Keeps this process polling its sockets without a pause, until the returned function is called. If the client slept,
 * the server's write would have to wake it, which costs the server more than its own work (measured on a virtual
 * machine: 6 of 20 us). A server that is as fast as its client would never pay this cost, and a slower server would pay
 * it on every response, so their ratio would show the cost of waking.
 */
function stayAwake(): () => void {
  let next: NodeJS.Immediate;
  const poll = (): void => {
    next = setImmediate(poll);
  };
  poll();
  return () => clearImmediate(next);
}

/** Medians over rounds in which every variant takes a turn, so that other work on the machine affects all alike. */
export async function compare(
  variants: readonly Variant[],
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<(name: string) => Figures> {
  for (const variant of variants) await load(variant, WARM_SECONDS);
  const seen = new Map(variants.map(({ name }) => [name, [] as Figures[]]));
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? variants : [...variants].reverse();
    for (const variant of order) seen.get(variant.name)?.push(await load(variant, seconds));
  }
  return (name) => {
    const figures = seen.get(name) ?? [];
    return {
      perSecond: median(figures.map(({ perSecond }) => perSecond)),
      perCpuSecond: median(figures.map(({ perCpuSecond }) => perCpuSecond)),
    };
  };
}

/** Median of milliseconds, one request after the other. */
export async function latency({ server, path, headers }: Variant): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  const sleep = stayAwake();
  for (const each of headers) {
    const began = performance.now();
    await ask(server.url + path, each, agent);
    times.push(performance.now() - began);
  }
  sleep();
  agent.destroy();
  return median(times);
}

function ask(url: string, headers: Headers, agent: Agent): Promise<void> {
  return new Promise((done, failed) => {
    request(url, { headers: { ...headers }, agent }, (answer) => {
      if (answer.statusCode !== 200) failed(new Error(`${url}: ${answer.statusCode}`));
      answer.resume().once('end', done);
    })
      .once('error', failed)
      .end();
  });
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low, high] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]] as [
    number,
    number,
  ];
  return (low + high) / 2;
}
