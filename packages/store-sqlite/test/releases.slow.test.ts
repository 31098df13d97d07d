import { once } from 'node:events';
import { copyFileSync, rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { seededRandom } from '@svc/auth-core/testing';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { eachTestItsPlace } from './place.ts';
import { startStore } from './processes/start.ts';
import { expectUpgraded, historyOf, makeRelease, RELEASES, rowsOf } from './releases.ts';

const place = eachTestItsPlace();
const KILLS = 20;

it.each(RELEASES)(
  'a database of $release, killed with SIGKILL at 20 random moments of its upgrade, starts again whole (specification 9.1.6, 9.2)',
  { timeout: 120_000 },
  async ({ release, history }) => {
    const { file } = place();
    const original = `${file}.original`;
    makeRelease(release, original);
    const raw = new Database(original);
    const before = { rows: rowsOf(raw), history: historyOf(raw) };
    raw.close();
    copyFileSync(original, file);
    const undisturbed = await timeOf(file);
    const random = seededRandom(RELEASES.findIndex((each) => each.release === release));
    for (let kill = 0; kill < KILLS; kill += 1) {
      for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
      copyFileSync(original, file);
      await killedAfter(file, ((kill + (random.bytes(1)[0] ?? 0) / 256) / KILLS) * undisturbed);
      const found = new Database(file);
      const store = await place().open();
      expectUpgraded(found, before, history);
      expect(store.accounts.byId('account-1')?.email).toBe('User1@lab.test');
      store.close();
      found.close();
    }
  },
);

/**
 * @returns the time in ms from the first line of output, which is written before the database is opened, to the end of
 * the process
 */
async function timeOf(file: string): Promise<number> {
  const child = startStore('open', file);
  await once(child.stdout, 'data');
  const began = performance.now();
  await once(child, 'close');
  return performance.now() - began;
}

async function killedAfter(file: string, ms: number): Promise<void> {
  const child = startStore('open', file);
  const closed = once(child, 'close');
  await once(child.stdout, 'data');
  await pause(ms);
  child.kill('SIGKILL');
  await closed;
}
