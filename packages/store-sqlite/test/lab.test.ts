import { expect, it } from 'vitest';
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
    lastSeenAt: 7,
  };
  deviceSettings.save(setting);
  close();
  expect((await place().open()).deviceSettings.all()).toEqual([setting]);
});
