import { type IncomingHttpHeaders, request } from 'node:http';
import { expect } from 'vitest';
import { type CallOptions, call } from './call.ts';
import type { Credentials, World } from './world.ts';

/** What the response to a request shows of the server's decision. Fields that the response lacks are absent. */
export interface Outcome {
  readonly status: number;
  /** The error code, the description of a SCIM error, or the code of a JSON-RPC error. */
  readonly error?: string | number;
  /** Value of `WWW-Authenticate`. */
  readonly challenge?: string;
  /** Rate category and number of requests that are left, such as `read 299`. */
  readonly rate?: string;
  /** Reason that the server recorded for the refusal. */
  readonly reason?: string;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

let asked = 0;

/** Sends a request without `Origin`, unless the options set one. */
export async function outcomeOf(
  world: World,
  [method, path]: readonly [method: string, path: string],
  options: CallOptions = {},
): Promise<Outcome> {
  const id = `outcome-${++asked}`;
  const headers = { origin: null, 'x-request-id': id, ...options.headers };
  return await seen(world, id, await call(world.url, method, path, { ...options, headers }));
}

/** Sends the headers of a request and half of its body, waits for `meanwhile`, and then sends the rest. */
export async function outcomeAfter(
  world: World,
  [method, path]: readonly [method: string, path: string],
  { as, headers, body }: { as: Credentials; headers: Readonly<Record<string, string>>; body: string },
  meanwhile: () => Promise<unknown>,
): Promise<Outcome> {
  const id = `outcome-${++asked}`;
  const half = Math.floor(body.length / 2);
  const all = { ...as, ...headers, 'x-request-id': id, 'content-length': body.length };
  const sent = request(`${world.url}${path}`, { method, agent: false, headers: all });
  const answered = new Promise<Answer>((done, failed) => {
    sent.once('error', failed);
    sent.once('response', (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      answer.once('end', () => done({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    });
  });
  await new Promise<void>((written) => sent.write(body.slice(0, half), () => written()));
  // The server handles this request on another connection after it has checked the headers of the first one.
  await world.ok('GET', '/auth/me', { as: world.root.as });
  await meanwhile();
  sent.end(body.slice(half));
  return await seen(world, id, await answered);
}

async function seen(world: World, id: string, { status, headers, text }: Answer): Promise<Outcome> {
  expect([headers['x-request-id'], headers['cache-control']]).toEqual([id, 'no-store']);
  const { body } = await world.api('GET', `/explain/${id}`, { as: world.root.as });
  const all = {
    status,
    error: status < 400 || text === '' ? undefined : errorIn(JSON.parse(text)),
    challenge: headers['www-authenticate'],
    rate:
      headers['x-ratelimit-category'] &&
      `${headers['x-ratelimit-category']} ${headers['x-ratelimit-remaining']}`,
    reason: body.reason,
  };
  return Object.fromEntries(
    Object.entries(all).filter(([, value]) => value !== undefined),
  ) as unknown as Outcome;
}

// biome-ignore lint/suspicious/noExplicitAny: each protocol has its own error format.
function errorIn({ detail, error }: any): string | number {
  return detail ?? error.code ?? error;
}
