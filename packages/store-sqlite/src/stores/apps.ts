import type { AppStore, LibraryApp } from '@svc/device-lab';
import type { Connection } from '../connection/connection.ts';
import type { NoParams } from '../connection/statement.ts';
import { nullable, Rows, required, type Table } from './table.ts';

/** `uploadedBy` has no foreign key, because an app stays when the account that uploaded it is deleted. */
export const APPS: Table<LibraryApp> = {
  name: 'apps',
  columns: {
    id: required,
    name: required,
    size: required,
    sha256: required,
    createdAt: required,
    uploadedBy: nullable,
  },
};

export function appRows(connection: Connection): AppStore {
  const apps = new Rows(connection, APPS);
  const insert = apps.insert();
  const remove = apps.remove();
  const byId = apps.first();
  const list = apps.all('order by created_at desc, rowid desc');
  const totals = connection.prepare<NoParams, { count: number; bytes: number }>(
    'select count(*) as count, coalesce(sum(size), 0) as bytes from apps',
  );
  return {
    insert: (app) => connection.join(() => insert(app)),
    remove: (id) => connection.join(() => remove({ id })),
    byId: (id) => byId({ id }),
    list: () => list({}),
    totals: () => totals.get({}) ?? { count: 0, bytes: 0 },
  };
}
