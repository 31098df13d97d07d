import type { DeviceSetting, DeviceSettingStore } from '@svc/device-lab';
import type { Connection } from '../connection/connection.ts';
import { json, nullable, Rows, required, type Table } from './table.ts';

/** `teamId` needs no foreign key, because a team that has a phone cannot be deleted. */
export const DEVICE_SETTINGS: Table<DeviceSetting> = {
  name: 'DeviceSetting',
  columns: {
    udid: required,
    name: required,
    platform: required,
    osVersion: required,
    node: nullable,
    teamId: nullable,
    tags: json,
    givenName: nullable,
    note: nullable,
    lastSeenAt: nullable,
  },
};

export function deviceSettingRows(connection: Connection): DeviceSettingStore {
  const settings = new Rows(connection, DEVICE_SETTINGS);
  const all = settings.all('order by udid');
  const byUdid = settings.first<{ udid: string }>('where udid = @udid');
  const save = settings.save('udid');
  const remove = settings.remove<{ udid: string }>('udid = @udid');
  return {
    all: () => all({}),
    byUdid: (udid) => byUdid({ udid }),
    save: (...rows) =>
      connection.join(() => {
        for (const row of rows) save(row);
      }),
    remove: (udids) =>
      connection.join(() => {
        for (const udid of udids) remove({ udid });
      }),
  };
}
