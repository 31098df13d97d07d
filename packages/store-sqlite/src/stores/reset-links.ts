import type { ResetLink, ResetLinkStore } from '@svc/accounts';
import type { Connection } from '../connection/connection.ts';
import { Rows, required, type Table } from './table.ts';

export const RESET_LINKS: Table<ResetLink & { readonly hash: string }> = {
  name: 'reset_links',
  columns: { id: required, accountId: required, hash: required, createdAt: required, expiresAt: required },
};

export function resetLinkRows(connection: Connection): ResetLinkStore {
  const links = new Rows(connection, RESET_LINKS);
  const byHash = links
    .only('id', 'accountId', 'createdAt', 'expiresAt')
    .first<{ hash: string }>('where hash = @hash');
  const insert = links.insert();
  const cancelAllOf = links.remove<{ accountId: string }>('account_id = @accountId');
  const removeExpired = links.remove<{ now: number }>('expires_at <= @now');
  return {
    byHash: (hash) => byHash({ hash }),
    insert: (link, hash) => void insert({ ...link, hash }),
    cancelAllOf: (accountId) => void cancelAllOf({ accountId }),
    removeExpired: (now) => void removeExpired({ now }),
  };
}
