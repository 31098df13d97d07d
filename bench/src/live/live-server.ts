import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildApp, openServices } from '@svc/api';
import { readConfig } from '@svc/auth-core';
import { DEFAULT_ADMIN_EMAIL, DEFAULT_ADMIN_PASSWORD } from '@svc/contract';
import { argument, ready } from '../child.ts';

export interface Rates {
  /** Events of devices and sessions a second. */
  readonly events: number;
  /** Commands a second. */
  readonly commands: number;
}

export interface LiveFacts {
  readonly pid: number;
  readonly cookie: string;
}

const quiet = { debug() {}, info() {}, warn() {}, error: console.error };

const { events, commands } = argument<Rates>();
const dataDir = mkdtempSync(join(tmpdir(), 'svc-bench-'));
const { config } = readConfig({
  env: { SVC_DATA_DIR: dataDir, SVC_BCRYPT_COST: '10', SVC_MAX_CONNECTIONS_PER_ADDRESS: '0' },
  homeDir: dataDir,
  readFile: () => '',
  resolvePath: resolve,
});
const services = await openServices({ config, log: quiet });
const { cookie } = await services.passwordSignIn.open(
  { email: DEFAULT_ADMIN_EMAIL, password: DEFAULT_ADMIN_PASSWORD, network: '', userAgent: null },
  { address: null, peer: null, requestId: null },
);
const app = await buildApp(services);
const url = await app.listen({ port: 0, host: '127.0.0.1' });

let count = 0;
const publishing = [
  setInterval(() => {
    const payload = { udid: 'virtual-1', name: 'Virtual phone 1', platform: 'Fake', count: ++count };
    services.lab.events.publish({
      type: 'device_changed',
      payload,
      audience: { kind: 'device', teamId: null },
    });
  }, 1000 / events),
  setInterval(() => {
    services.lab.commandLog.add({
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
  }, 1000 / commands),
];

ready(url, { pid: process.pid, cookie: `svc_dashboard_session=${cookie}` } satisfies LiveFacts, async () => {
  for (const timer of publishing) clearInterval(timer);
  await app.close();
  await services.close();
  rmSync(dataDir, { recursive: true, force: true });
});
