import type { CareStore, OutOfServiceRow } from '@svc/device-lab';
import type { Connection } from '../connection/connection.ts';
import { nullable, Rows, required, type Table } from './table.ts';

export const OUT_OF_SERVICE: Table<OutOfServiceRow> = {
  name: 'out_of_service',
  columns: { udid: required, reason: required, byId: nullable, since: required, until: nullable },
};

export function careRows(connection: Connection): CareStore {
  const phones = new Rows(connection, OUT_OF_SERVICE);
  const all = phones.all('order by udid');
  const save = phones.save('udid');
  const remove = phones.remove<{ udid: string }>('udid = @udid');
  return {
    all: () => all({}),
    save: (row) => connection.join(() => save(row)),
    remove: (udid) => connection.join(() => remove({ udid })),
  };
}
