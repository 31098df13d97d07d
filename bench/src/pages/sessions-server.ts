import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openServices } from '@svc/api';
import { buildApp } from '@svc/api/app.js';
import { DEFAULT_ADMIN_EMAIL, DEFAULT_ADMIN_PASSWORD } from '@svc/contract';
import { readConfig } from '@svc/settings';
import { argument, ready } from '../child.ts';

export interface SessionsInput {
  readonly sessions: number;
}

export interface SessionsFacts {
  readonly cookie: string;
}

const quiet = { debug() {}, info() {}, warn() {}, error: console.error };
const FIRST_START = Date.UTC(2026, 0, 1);

const { sessions } = argument<SessionsInput>();
const dataDir = mkdtempSync(join(tmpdir(), 'svc-bench-'));
const { config } = readConfig({
  env: { SVC_DATA_DIR: dataDir, SVC_BCRYPT_COST: '10' },
  homeDir: dataDir,
  readFile: () => '',
  resolvePath: resolve,
});
const services = await openServices({ config, log: quiet });
services.stores.transaction(() => {
  for (let number = 1; number <= sessions; number += 1) {
    const startedAt = FIRST_START + number * 1_000;
    services.modules.lab.offers.lab.sessions.record({
      id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
      name: `test ${number}`,
      status: number % 10 === 0 ? 'failed' : 'passed',
      ownerId: null,
      device: {
        udid: `phone-${number % 40}`,
        name: `Phone ${number % 40}`,
        platform: 'Fake',
        osVersion: '1',
      },
      node: null,
      startedAt,
      endedAt: startedAt + 900,
      failureCategory: null,
      failureReason: null,
      tags: number % 3 === 0 ? ['smoke', 'nightly'] : [],
      healingTiers: null,
      startedBy: null,
      capabilities: { platformName: 'Fake' },
    });
  }
});
const { cookie } = await services.modules.accounts.offers.passwordSignIn.open(
  { email: DEFAULT_ADMIN_EMAIL, password: DEFAULT_ADMIN_PASSWORD, network: '', userAgent: null },
  { address: null, peer: null, requestId: null },
);
const app = await buildApp(services);
const url = await app.listen({ port: 0, host: '127.0.0.1' });
const facts: SessionsFacts = { cookie: `svc_dashboard_session=${cookie}` };
ready(url, facts, async () => {
  await app.close();
  await services.close();
  rmSync(dataDir, { recursive: true, force: true });
});
