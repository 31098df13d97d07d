import type { DirectoryEntry, DirectoryUserStore } from '@svc/accounts';
import type { Connection } from '../connection/connection.ts';
import type { NoParams } from '../connection/statement.ts';
import { flag, nullable, orNull, Rows, required, type Table } from './table.ts';

interface StoredEntry extends Omit<DirectoryEntry, 'isDeactivated'> {
  readonly accountId: string;
  readonly isDeactivated: boolean | null;
}

export const DIRECTORY_USERS: Table<StoredEntry> = {
  name: 'directory_users',
  columns: { accountId: required, externalId: nullable, isDeleted: flag, isDeactivated: orNull(flag) },
};

const SHOWN = `
  from accounts left join directory_users on directory_users.account_id = accounts.id
  where (accounts.status = 'Active' or ifnull(directory_users.is_deleted, 0) = 0)`;

export function directoryUserRows(connection: Connection): DirectoryUserStore {
  const users = new Rows(connection, DIRECTORY_USERS);
  const entry = users
    .only('externalId', 'isDeleted', 'isDeactivated')
    .first<{ accountId: string }>('where account_id = @accountId');
  const save = users.save('accountId');
  const byExternalId = connection.prepare<{ externalId: string; limit: number }, { id: string }>(`
    select accounts.id as id ${SHOWN} and directory_users.external_id = @externalId
    order by accounts.created_at, accounts.id limit @limit`);
  const page = connection.prepare<{ offset: number; limit: number }, { id: string }>(`
    select accounts.id as id ${SHOWN} order by accounts.created_at, accounts.id limit @limit offset @offset`);
  const count = connection.prepare<NoParams, { count: number }>(`select count(*) as count ${SHOWN}`);
  return {
    entryOf: (accountId) => {
      const found = entry({ accountId });
      // An earlier version did not store who made the account Inactive. Only a deletion was certainly the provider's.
      return found && { ...found, isDeactivated: found.isDeactivated ?? found.isDeleted };
    },
    byExternalId: (externalId, limit) => byExternalId.all({ externalId, limit }).map(({ id }) => id),
    page: (offset, limit) => page.all({ offset, limit }).map(({ id }) => id),
    count: () => count.get({})?.count ?? 0,
    save: (accountId, saved) => void save({ accountId, ...saved }),
  };
}
