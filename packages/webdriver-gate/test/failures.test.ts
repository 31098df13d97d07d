import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Refusal, Unavailable } from '@svc/auth-core';
import { silentLog } from '@svc/auth-core/testing';
import { expect, it } from 'vitest';
import { checkingGate } from '../src/testing/index.ts';

const ID = '0e984725-c51c-4bf4-9960-e1c80e27aba0';

/**
 * Names and paths of requests, and the status of the response to an unauthenticated client. The 200 has an empty list.
 */
const PATHS = [
  ['commands', `/session/${ID}/url`, 404],
  ['lists of sessions', '/appium/sessions', 200],
  ['routes of drivers', '/drivers/own', 401],
] as const;
const headers = { authorization: 'Bearer a.b.c' };

/** Starts a gate that checks each credential by calling `authenticate`. */
async function startGate(authenticate: Parameters<typeof checkingGate>[0]) {
  const log = silentLog();
  const pass = (_req: IncomingMessage, res: ServerResponse) => res.end('passed');
  const gate = checkingGate(authenticate, { log, upstream: { request: pass, upgrade: () => undefined } });
  const server = createServer((req: IncomingMessage, res: ServerResponse) => gate.request(req, res));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { log, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

it.each(PATHS)('503s of %s fill no log while the check cannot run (contract 7)', async (_name, path) => {
  const { log, server, url } = await startGate(() => Promise.reject(new Error('the database is gone')));
  for (let request = 0; request < 320; request += 1) {
    expect((await fetch(`${url}${path}`, { headers })).status).toBe(503);
  }
  expect(log.messages('error')).toHaveLength(300);
  server.close();
});

it.each(PATHS)(
  '%s are answered alike whether a check fails at once or later (contract 7)',
  async (_, path, unauthenticated) => {
    for (const error of [
      new Refusal('invalid token'),
      new Unavailable('no key'),
      new TypeError('a fault of ours'),
    ]) {
      const immediately = await startGate(() => {
        throw error;
      });
      const later = await startGate(async () => {
        await new Promise(setImmediate);
        throw error;
      });
      const [one, other] = await Promise.all(
        [immediately, later].map(async ({ url }) => {
          const answer = await fetch(`${url}${path}`, { headers });
          return [answer.status, await answer.text()];
        }),
      );
      expect(one).toEqual(other);
      expect(one?.[0]).toBe(error instanceof Refusal ? unauthenticated : 503);
      for (const { server } of [immediately, later]) server.close();
    }
  },
);
