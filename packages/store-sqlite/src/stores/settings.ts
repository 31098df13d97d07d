import type { SettingStore } from '@svc/auth-core';
import type { Connection } from '../connection/connection.ts';
import { Rows, required, type Table } from './table.ts';

/** The value is JSON. */
export const SETTINGS: Table<{ key: string; value: string }> = {
  name: 'settings',
  columns: { key: required, value: required },
};

export function settingRows(connection: Connection): SettingStore {
  const settings = new Rows(connection, SETTINGS);
  const all = settings.all('order by key');
  const save = settings.save('key');
  const remove = settings.remove<{ key: string }>('key = @key');
  let known: ReadonlyMap<string, unknown> | undefined;
  connection.onInvalidate(() => {
    known = undefined;
  });
  return {
    all: () => {
      connection.checkForOtherWriters();
      known ??= new Map(all({}).map(({ key, value }) => [key, frozen(value)]));
      return known;
    },
    save: (values) => {
      known = undefined;
      for (const [key, value] of values) {
        if (value === undefined) remove({ key });
        else save({ key, value: JSON.stringify(value) });
      }
    },
  };
}

/** Parses the JSON of a setting. Freezes the value and all nested objects, because all callers get the same object. */
function frozen(json: string): unknown {
  return JSON.parse(json, (_, value) => Object.freeze(value));
}
