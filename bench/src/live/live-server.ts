import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openServices } from '@svc/api';
import { buildApp } from '@svc/api/app.js';
import { DEFAULT_ADMIN_EMAIL, DEFAULT_ADMIN_PASSWORD } from '@svc/contract';
import { readConfig } from '@svc/settings';
import { argument, ready } from '../child.ts';

export interface LiveInput {
  /** Address of the phone's pictures. */
  readonly camera: string;
  /** Events of devices and sessions per second. */
  readonly events: number;
  /** Commands per second. */
  readonly commands: number;
}

export interface LiveFacts {
  readonly pid: number;
  readonly cookie: string;
  /** The phone whose pictures are streamed. */
  readonly udid: string;
}

const quiet = { debug() {}, info() {}, warn() {}, error: console.error };

const { camera, events, commands } = argument<LiveInput>();
const udid = 'bench-phone';
const phone = { udid, name: 'Phone', platform: 'Android', osVersion: '14', mjpegUrl: camera };
const dataDir = mkdtempSync(join(tmpdir(), 'svc-bench-'));
const { config } = readConfig({
  env: {
    SVC_DATA_DIR: dataDir,
    SVC_BCRYPT_COST: '10',
    SVC_MAX_CONNECTIONS_PER_ADDRESS: '0',
    SVC_DEVICES: JSON.stringify([phone]),
  },
  homeDir: dataDir,
  readFile: () => '',
  resolvePath: resolve,
});
const services = await openServices({ config, log: quiet });
// Viewers reconnect in each round and need more tickets than one caller may request in that time, so the limiter
// applies to reads only.
const limiter = services.rateLimiter;
const take = limiter.take.bind(limiter);
limiter.take = (caller, category) =>
  category === 'read' ? take(caller, category) : { category, capacity: 1, remaining: 1, retryAfter: 0 };
const { cookie } = await services.modules.accounts.offers.passwordSignIn.open(
  { email: DEFAULT_ADMIN_EMAIL, password: DEFAULT_ADMIN_PASSWORD, network: '', userAgent: null },
  { address: null, peer: null, requestId: null },
);
const app = await buildApp(services);
const url = await app.listen({ port: 0, host: '127.0.0.1' });

let count = 0;
const publishing = [
  atRate(events, () => {
    const payload = {
      leaseId: `${++count}`,
      udid: 'virtual-1',
      owner: { id: 'ana', email: null },
      expiresAt: '',
    };
    services.modules.lab.offers.lab.events.publish({
      type: 'lease_changed',
      payload,
      audience: { kind: 'device', teamId: null },
    });
  }),
  atRate(commands, () => {
    services.modules.lab.offers.lab.commandLog.add({
      sessionId: 's1',
      ownerId: null,
      at: services.clock.now(),
      method: 'POST',
      path: '/session/s1/element/0e984725-c51c-4bf4-9960-e1c80e27aba0/click',
      status: 200,
      durationMs: 12,
      size: 0,
      body: undefined,
      response: () => undefined,
      shed: () => undefined,
    });
  }),
];

const facts: LiveFacts = { pid: process.pid, cookie: `svc_dashboard_session=${cookie}`, udid };
ready(url, facts, async () => {
  for (const timer of publishing) clearInterval(timer);
  await app.close();
  await services.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Calls `act` at this rate. If a timer is too slow for the rate, it calls `act` several times in a row. */
function atRate(perSecond: number, act: () => void): NodeJS.Timeout {
  const began = performance.now();
  let done = 0;
  return setInterval(
    () => {
      for (; done < ((performance.now() - began) / 1000) * perSecond; done++) act();
    },
    Math.max(5, 1000 / perSecond),
  );
}
