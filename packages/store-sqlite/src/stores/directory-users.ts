import type { DirectoryEntry, DirectoryUserStore } from '@svc/auth-core';
import type { Connection } from '../connection/connection.ts';
import type { NoParams } from '../connection/statement.ts';

export class DirectoryUserRows implements DirectoryUserStore {
  readonly #statements: ReturnType<typeof statements>;

  constructor(connection: Connection) {
    this.#statements = statements(connection);
  }

  entryOf(accountId: string): DirectoryEntry | undefined {
    const row = this.#statements.entry.get({ accountId });
    // An earlier version did not store who made the account Inactive. Only a deletion was certainly the provider's.
    return (
      row && {
        externalId: row.external_id,
        isDeleted: row.is_deleted !== 0,
        isDeactivated: (row.is_deactivated ?? row.is_deleted) !== 0,
      }
    );
  }

  byExternalId(externalId: string, limit: number): string[] {
    return this.#statements.byExternalId.all({ externalId, limit }).map(({ id }) => id);
  }

  page(offset: number, limit: number): string[] {
    return this.#statements.page.all({ offset, limit }).map(({ id }) => id);
  }

  count(): number {
    return this.#statements.count.get({})?.count ?? 0;
  }

  save(accountId: string, { externalId, isDeleted, isDeactivated }: DirectoryEntry): void {
    this.#statements.save.run({
      ...{ accountId, externalId },
      ...{ isDeleted: Number(isDeleted), isDeactivated: Number(isDeactivated) },
    });
  }
}

const SHOWN = `
  from accounts left join directory_users on directory_users.account_id = accounts.id
  where (accounts.status = 'Active' or ifnull(directory_users.is_deleted, 0) = 0)`;

function statements(connection: Connection) {
  return {
    entry: connection.prepare<
      { accountId: string },
      { external_id: string | null; is_deleted: number; is_deactivated: number | null }
    >('select external_id, is_deleted, is_deactivated from directory_users where account_id = @accountId'),
    byExternalId: connection.prepare<{ externalId: string; limit: number }, { id: string }>(`
      select accounts.id as id ${SHOWN} and directory_users.external_id = @externalId
      order by accounts.created_at, accounts.id limit @limit`),
    page: connection.prepare<{ offset: number; limit: number }, { id: string }>(`
      select accounts.id as id ${SHOWN} order by accounts.created_at, accounts.id limit @limit offset @offset`),
    count: connection.prepare<NoParams, { count: number }>(`select count(*) as count ${SHOWN}`),
    save: connection.prepare<
      { accountId: string; externalId: string | null; isDeleted: number; isDeactivated: number },
      never
    >(`
      insert into directory_users (account_id, external_id, is_deleted, is_deactivated)
      values (@accountId, @externalId, @isDeleted, @isDeactivated)
      on conflict (account_id) do update set
        external_id = @externalId, is_deleted = @isDeleted, is_deactivated = @isDeactivated`),
  };
}
