import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { silentLog } from '@svc/auth-core/testing';
import { expect, it } from 'vitest';
import { checkingGate } from './checking-gate.ts';

const ID = '0e984725-c51c-4bf4-9960-e1c80e27aba0';

it.each([
  ['commands', `/session/${ID}/url`, 'GET'],
  ['lists of sessions', '/appium/sessions', 'GET'],
  ['routes of drivers', '/drivers/own', 'GET'],
])('(contract 7) 503s of %s fill no log while the check cannot run', async (_name, path, method) => {
  const log = silentLog();
  const gate = checkingGate(() => Promise.reject(new Error('the database is gone')), { log });
  const server = createServer((req: IncomingMessage, res: ServerResponse) => gate.request(req, res));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const headers = { authorization: 'Bearer a.b.c' };
  for (let request = 0; request < 320; request += 1) {
    expect((await fetch(url, { method, headers })).status).toBe(503);
  }
  expect(log.messages('error')).toHaveLength(300);
  server.close();
});
