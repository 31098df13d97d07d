import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openServices } from '@svc/api';
import { buildApp } from '@svc/api/app.js';
import { DEFAULT_ADMIN_EMAIL, DEFAULT_ADMIN_PASSWORD } from '@svc/contract';
import { sampleAdmission, sampleStart } from '@svc/device-lab/testing';
import { readConfig } from '@svc/settings';
import { argument, ready } from '../child.ts';

export interface RecordedInput {
  /** Address of the pictures that all phones show. */
  readonly camera: string;
  readonly sessions: number;
  /** `SVC_RECORDING`. */
  readonly recording: 'off' | 'all';
}

export interface RecordedFacts {
  readonly cookie: string;
  /** Ids of the running sessions. */
  readonly sessionIds: readonly string[];
}

const quiet = { debug() {}, info() {}, warn() {}, error: console.error };

const { camera, sessions, recording } = argument<RecordedInput>();
const phones = Array.from({ length: sessions }, (_, index) => ({
  udid: `phone-${index}`,
  name: `Phone ${index}`,
  platform: 'Android',
  osVersion: '14',
  mjpegUrl: camera,
}));
const dataDir = mkdtempSync(join(tmpdir(), 'svc-bench-'));
const { config } = readConfig({
  env: {
    SVC_DATA_DIR: dataDir,
    SVC_BCRYPT_COST: '10',
    SVC_DEVICES: JSON.stringify(phones),
    SVC_RECORDING: recording,
  },
  homeDir: dataDir,
  readFile: () => '',
  resolvePath: resolve,
});
const services = await openServices({ config, log: quiet });
const { cookie } = await services.modules.accounts.offers.passwordSignIn.open(
  { email: DEFAULT_ADMIN_EMAIL, password: DEFAULT_ADMIN_PASSWORD, network: '', userAgent: null },
  { address: null, peer: null, requestId: null },
);
const app = await buildApp(services);
const url = await app.listen({ port: 0, host: '127.0.0.1' });
const sessionIds: string[] = [];
for (const { udid } of phones) {
  const id = `session-of-${udid}`;
  const admission = { ...sampleAdmission(), recording: { record: null, saveDeviceLogs: false } };
  await services.modules.lab.offers.lab.creates.createSession(
    admission,
    { alwaysMatch: { 'appium:udid': udid } },
    sampleStart(id),
  );
  sessionIds.push(id);
}
const facts: RecordedFacts = { cookie: `svc_dashboard_session=${cookie}`, sessionIds };
ready(url, facts, async () => {
  await app.close();
  await services.close();
  rmSync(dataDir, { recursive: true, force: true });
});
