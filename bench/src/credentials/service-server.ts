import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openServices } from '@svc/api';
import { buildApp } from '@svc/api/app.js';
import { readConfig } from '@svc/settings';
import { argument, ready } from '../child.ts';
import type { Headers } from '../load.ts';
import { populate, type Sample, type Size } from './population.ts';

export interface ServiceInput extends Size {
  readonly pairs: number;
  readonly others: number;
  /**
   * Whether this process issues and signs the bearer tokens, so that it need not verify them. If false, an earlier
   * process with the same key has signed them.
   */
  readonly signedHere?: boolean;
}

/** The real service, with accounts and credentials. */
export interface ServiceFacts {
  readonly sample: Sample;
}

const quiet = { debug() {}, info() {}, warn() {}, error: console.error };

const { pairs, others, signedHere = false, ...size } = argument<ServiceInput>();
const dataDir = mkdtempSync(join(tmpdir(), 'svc-bench-'));
const { config } = readConfig({
  env: { SVC_DATA_DIR: dataDir, SVC_BCRYPT_COST: '10' },
  homeDir: dataDir,
  readFile: () => '',
  resolvePath: resolve,
});
const services = await openServices({ config, log: quiet });
const { stores, signer, clock } = services;
const population = await populate(stores, clock, signer, size, { pairs, others });
const app = await buildApp(services);
const sample = signedHere ? { ...population, bearers: await issuedTo(population.pairs) } : population;
const url = await app.listen({ port: 0, host: '127.0.0.1' });

ready(url, { sample } satisfies ServiceFacts, async () => {
  await app.close();
  await services.close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function issuedTo(asking: readonly Headers[]): Promise<Headers[]> {
  const bearers: Headers[] = [];
  for (const headers of asking) {
    const issued = await app.inject({ method: 'POST', url: '/svc/api/auth/token', headers, payload: {} });
    bearers.push({ authorization: `Bearer ${issued.json<{ token: string }>().token}` });
  }
  return bearers;
}
