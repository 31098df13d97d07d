import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { openStore } from '@svc/store-sqlite';
import Database from 'better-sqlite3';
import { median } from './load.ts';
import type { Report } from './report/report.ts';
import { appiumStarts, memoryAtRest } from './start/starts.ts';

const TOKENS = 1_000_000;
const ROUNDS = 9;
const QUIET = { debug() {}, info() {}, warn() {}, error() {} };
const CLOCK = { now: Date.now };

export async function startBench(report: Report): Promise<void> {
  await appiumStarts(report);
  await memoryAtRest(report);
  await openingBench(report);
}

/**
 * Checks that opening a database does not take longer the more it contains, because no row is read before it is needed.
 */
async function openingBench(report: Report): Promise<void> {
  report.begin('Opening a store', `One of ${TOKENS} tokens against an empty one`);
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const [empty, full] = [join(folder, 'empty.db'), join(folder, 'full.db')];
  await opening(empty);
  await opening(full);
  fill(full);
  const times: Record<string, number[]> = { empty: [], full: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    times.empty?.push(await opening(empty));
    times.full?.push(await opening(full));
  }
  rmSync(folder, { recursive: true, force: true });
  const withRows = times.full ?? [];
  report.add({ what: 'full against empty', values: [median(withRows) / median(times.empty ?? [])] });
}

async function opening(file: string): Promise<number> {
  const began = performance.now();
  const store = await openStore({ file, clock: CLOCK, log: QUIET, autoMigrate: true });
  const took = performance.now() - began;
  store.close();
  return took;
}

function fill(file: string): void {
  const database = new Database(file);
  database.exec(`
    insert into accounts (id, email, email_key, name, role, status, access_key, default_password, created_at)
    values ('ann', 'ann@lab.test', 'ann@lab.test', 'Ann', 'Member', 'Active', 'svc_ann', 0, 0);
    with recursive many(n) as (select 1 union all select n + 1 from many where n < ${TOKENS})
    insert into api_tokens (id, owner_id, hash, kind, name, scopes, rate_limit, created_at)
    select printf('id-%d', n), 'ann', printf('%064x', n), 'profile', 'ci', 'read', 300, n from many
  `);
  database.close();
}
