import type { Revocation, RevocationStore } from '@svc/auth-core';
import type { Caches } from '../cache/caches.ts';
import type { Connection } from '../connection/connection.ts';
import { flag, nullable, Rows, required, type Table } from './table.ts';

export const REVOKED_TOKENS: Table<Revocation> = {
  name: 'revoked_tokens',
  columns: { id: required, accountId: required, cascades: flag, expiresAt: required, sourceId: nullable },
};

/** Condition for records that are not records of groups of tokens (see `isGroup`). Every other id is a UUID. */
const NO_GROUP = "id not like 'agents-%' and id not like 'bearers-%'";

export function revokedTokenRows(connection: Connection, caches: Caches): RevocationStore {
  const { revoked } = caches;
  const rows = new Rows(connection, REVOKED_TOKENS);
  const all = rows.all('order by id');
  const countOf = connection.prepare<{ accountId: string }, ReturnType<RevocationStore['countOf']>>(`
    select count(source_id) as tokens, count(*) - count(source_id) as credentials
    from revoked_tokens where account_id = @accountId and ${NO_GROUP}`);
  const insert = rows.insert(`on conflict (id) do update set
    cascades = max(cascades, excluded.cascades), expires_at = max(expires_at, excluded.expires_at)`);
  const removeMinted = rows.remove<Revocation>('account_id = @accountId and source_id = @id');
  const removeAllOf = rows.remove<{ accountId: string }>(`account_id = @accountId and ${NO_GROUP}`);
  const removeTokensOf = rows.remove<{ accountId: string }>(
    `account_id = @accountId and source_id is not null and ${NO_GROUP}`,
  );
  const removeExpired = rows.remove<{ now: number }>('expires_at <= @now');
  const add = (revocation: Revocation): void => {
    insert(revocation);
    revoked.set(revocation.id, revocation.cascades);
    if (revocation.cascades && removeMinted(revocation) > 0) revoked.clear();
  };
  const read = () => all({}).map(({ id, cascades }) => [id, cascades] as const);
  return {
    find: (id) => {
      connection.checkForOtherWriters();
      const cascades = revoked.all(read).get(id);
      return cascades === undefined ? undefined : { cascades };
    },
    all: () => all({}),
    countOf: (accountId) => countOf.get({ accountId }) ?? { tokens: 0, credentials: 0 },
    add,
    replaceAllOf: (group, replaced) => {
      const remove = replaced === 'all' ? removeAllOf : removeTokensOf;
      if (remove({ accountId: group.accountId }) > 0) revoked.clear();
      add(group);
    },
    removeExpired: (now) => {
      if (removeExpired({ now }) > 0) revoked.clear();
    },
  };
}
