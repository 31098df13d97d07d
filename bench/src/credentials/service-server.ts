import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openServices } from '@svc/api';
import { buildApp } from '@svc/api/app.js';
import { readConfig } from '@svc/auth-core';
import { argument, ready } from '../child.ts';
import { populate, type Sample, type Size } from './population.ts';

/** The service as it is, with a population. */
export interface ServiceFacts {
  readonly sample: Sample;
}

const quiet = { debug() {}, info() {}, warn() {}, error: console.error };

const { pairs, others, ...size } = argument<Size & { pairs: number; others: number }>();
const dataDir = mkdtempSync(join(tmpdir(), 'svc-bench-'));
const { config } = readConfig({
  env: { SVC_DATA_DIR: dataDir, SVC_BCRYPT_COST: '10' },
  homeDir: dataDir,
  readFile: () => '',
  resolvePath: resolve,
});
const services = await openServices({ config, log: quiet });
const sample = await populate(services.stores, services.clock, services.signer, size, { pairs, others });
const app = await buildApp(services);
const url = await app.listen({ port: 0, host: '127.0.0.1' });

ready(url, { sample } satisfies ServiceFacts, async () => {
  await app.close();
  await services.close();
  rmSync(dataDir, { recursive: true, force: true });
});
