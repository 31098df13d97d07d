import type { AttachAddress, AttachStore } from '@svc/device-lab';
import type { Connection } from '../connection/connection.ts';
import { json, nullable, Rows, required, type Table } from './table.ts';

interface StoredAddress extends Omit<AttachAddress, 'lastUse'> {
  readonly lastUsedAt: number | null;
  readonly lastAddress: string | null;
  readonly lastAgent: string | null;
}

export const ATTACH_ADDRESSES: Table<StoredAddress> = {
  name: 'attach_addresses',
  columns: {
    id: required,
    sessionId: required,
    hash: required,
    accountId: required,
    maker: json,
    createdAt: required,
    expiresAt: required,
    lastUsedAt: nullable,
    lastAddress: nullable,
    lastAgent: nullable,
  },
};

export function attachRows(connection: Connection): AttachStore {
  const addresses = new Rows(connection, ATTACH_ADDRESSES);
  const all = addresses.all('order by created_at, rowid');
  const insert = addresses.insert();
  const used = addresses.update('lastUsedAt', 'lastAddress', 'lastAgent');
  const remove = addresses.remove();
  return {
    all: () =>
      all({}).map(({ lastUsedAt: at, lastAddress: address, lastAgent: userAgent, ...row }) => ({
        ...row,
        lastUse: at === null ? null : { at, address, userAgent },
      })),
    insert: ({ lastUse, ...row }) => {
      const { at = null, address = null, userAgent = null } = lastUse ?? {};
      const stored = { ...row, lastUsedAt: at, lastAddress: address, lastAgent: userAgent };
      connection.join(() => insert(stored));
    },
    used: (id, { at, address, userAgent }) =>
      connection.join(() => used({ id, lastUsedAt: at, lastAddress: address, lastAgent: userAgent })),
    remove: (id) => connection.join(() => remove({ id })),
  };
}
