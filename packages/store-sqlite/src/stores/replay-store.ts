import type { ReplayStore } from '@svc/auth-core';
import type { Connection } from '../connection/connection.ts';
import { Rows, required, type Table } from './table.ts';

export const SPENT: Table<{ id: string; expiresAt: number }> = {
  name: 'spent',
  columns: { id: required, expiresAt: required },
};

export function replayRows(connection: Connection): ReplayStore {
  const spent = new Rows(connection, SPENT);
  // One statement checks and records the id, so that of two processes that spend it at the same time only one succeeds.
  const spend = spent.insert('on conflict do nothing');
  const find = spent.first();
  const removeExpired = spent.remove<{ now: number }>('expires_at <= @now');
  return {
    spend: (id, expiresAt) => spend({ id, expiresAt }) > 0,
    isSpent: (id) => find({ id }) !== undefined,
    removeExpired: (now) => void removeExpired({ now }),
  };
}
