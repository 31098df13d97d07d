import type { CleaningRow, CleaningStore } from '@svc/device-lab';
import type { Connection } from '../connection/connection.ts';
import { flag, json, nullable, orNull, Rows, required, type Table } from './table.ts';

export const PHONE_CLEANING: Table<CleaningRow> = {
  name: 'phone_cleaning',
  columns: {
    udid: required,
    holderId: nullable,
    mode: required,
    since: required,
    before: orNull(json),
    sessions: json,
    isKept: flag,
  },
};

export function cleaningRows(connection: Connection): CleaningStore {
  const phones = new Rows(connection, PHONE_CLEANING);
  const all = phones.all('order by udid');
  const save = phones.save('udid');
  const remove = phones.remove<{ udid: string }>('udid = @udid');
  return {
    all: () => all({}),
    save: (row) => connection.join(() => save(row)),
    remove: (udid) => connection.join(() => remove({ udid })),
  };
}
