import { expect, it } from 'vitest';
import { BEFORE, OF_HOUR } from '../src/stores/phone-use.ts';
import { eachTestItsPlace } from './place.ts';

const place = eachTestItsPlace();

it('settings of devices are kept across a restart (contract 2 /device)', async () => {
  const { deviceSettings, close } = await place().open();
  const setting = {
    udid: 'u',
    name: 'n',
    platform: 'p',
    osVersion: '1',
    node: 'node-1',
    teamId: 't',
    tags: ['x', 'y'],
    givenName: 'Shelf 3',
    note: 'A note.',
    lastSeenAt: 7,
  };
  deviceSettings.save(setting);
  close();
  expect((await place().open()).deviceSettings.all()).toEqual([setting]);
});

it('the use of phones is read and removed through the primary key, without a scan or a sort of all rows', async () => {
  const { close } = await place().open();
  close();
  const database = place().raw();
  const planOf = (sql: string) =>
    database
      .prepare<unknown[], { detail: string }>(`explain query plan ${sql}`)
      .all({ at: 1, hour: 1, most: 1 })
      .map(({ detail }) => detail)
      .join('\n');
  const read = planOf(`select * from phone_use ${OF_HOUR}`);
  const removed = planOf(`delete from phone_use where ${BEFORE}`);
  expect(read).toMatch(/^SEARCH phone_use USING PRIMARY KEY \(hour=\?\)/);
  expect(removed).toMatch(/SEARCH phone_use USING PRIMARY KEY \(hour<\?\)/);
  expect(`${read}${removed}`).not.toMatch(/SCAN phone_use/);
  database.close();
});
