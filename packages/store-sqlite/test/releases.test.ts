import { expect, it } from 'vitest';
import { eachTestItsPlace } from './place.ts';
import { expectUpgraded, historyOf, makeRelease, RELEASES, rowsOf } from './releases.ts';

const place = eachTestItsPlace();
/**
 * Releases whose databases this test upgrades. `releases.slow.test.ts` tests the other releases, and kills the process
 * during an upgrade.
 */
const QUICK: readonly string[] = ['1.x', '2.13'];

it.each(RELEASES.filter(({ release }) => QUICK.includes(release)))(
  'a database of $release is upgraded with its rows intact (specification 9.1.6, 9.2)',
  { timeout: 30_000 },
  async ({ release, history }) => {
    makeRelease(release, place().file);
    const raw = place().raw();
    const before = { rows: rowsOf(raw), history: historyOf(raw) };
    (await place().open()).close();
    expect(place().log.messages('info')).toEqual(['Syncing database schema', 'Database schema in sync']);
    expectUpgraded(raw, before, history);
    // Checks that a second start changes no tables, by the number that SQLite raises with each change of a table.
    const version = raw.pragma('schema_version', { simple: true });
    (await place().open()).close();
    expect(raw.pragma('schema_version', { simple: true })).toBe(version);
  },
);

it('2.14 brings the table DeviceSetting, 2.15 the column LocatorEtalon.path (specification 9.2)', async () => {
  (await place().open()).close();
  const raw = place().raw();
  const names = historyOf(raw)?.map(({ name }) => name) ?? [];
  expect(names.filter((name) => /baseline|2\.1[45]/.test(name))).toEqual([
    '0015-baseline',
    '0016-2.14-device-setting',
    '0017-2.15-locator-etalon-path',
  ]);
  const columns = raw.prepare<[string], string>('select name from pragma_table_info(?)').pluck();
  expect(columns.all('DeviceSetting')).toContain('udid');
  expect(columns.all('LocatorEtalon')).toContain('path');
});
