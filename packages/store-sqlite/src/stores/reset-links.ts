import type { ResetLink, ResetLinkStore } from '@svc/auth-core';
import type { Connection } from '../connection/connection.ts';

export class ResetLinkRows implements ResetLinkStore {
  readonly #statements: ReturnType<typeof statements>;

  constructor(connection: Connection) {
    this.#statements = statements(connection);
  }

  byHash(hash: string): ResetLink | undefined {
    return this.#statements.byHash.get({ hash });
  }

  insert(link: ResetLink, hash: string): void {
    this.#statements.insert.run({ ...link, hash });
  }

  cancelAllOf(accountId: string): void {
    this.#statements.cancelAllOf.run({ accountId });
  }

  removeExpired(now: number): void {
    this.#statements.removeExpired.run({ now });
  }
}

function statements(connection: Connection) {
  return {
    byHash: connection.prepare<{ hash: string }, ResetLink>(`
      select id, account_id as accountId, created_at as createdAt, expires_at as expiresAt
      from reset_links where hash = @hash`),
    insert: connection.prepare<ResetLink & { hash: string }, never>(`
      insert into reset_links (id, account_id, hash, created_at, expires_at)
      values (@id, @accountId, @hash, @createdAt, @expiresAt)`),
    cancelAllOf: connection.prepare<{ accountId: string }, never>(
      'delete from reset_links where account_id = @accountId',
    ),
    removeExpired: connection.prepare<{ now: number }, never>(
      'delete from reset_links where expires_at <= @now',
    ),
  };
}
