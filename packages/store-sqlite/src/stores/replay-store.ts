import type { ReplayStore } from '@svc/auth-core';
import type { Connection } from '../connection/connection.ts';

export class ReplayRows implements ReplayStore {
  readonly #statements: ReturnType<typeof statements>;

  constructor(connection: Connection) {
    this.#statements = statements(connection);
  }

  /**
   * Records that the single-use token or ticket with this id was used. One statement checks and records the id, so that
   * if two processes call this method at the same time, only one gets true.
   * @returns true if the id was not recorded before
   */
  spend(id: string, expiresAt: number): boolean {
    return this.#statements.spend.run({ id, expiresAt }) > 0;
  }

  isSpent(id: string): boolean {
    return this.#statements.find.get({ id }) !== undefined;
  }

  removeExpired(now: number): void {
    this.#statements.removeExpired.run({ now });
  }
}

function statements(connection: Connection) {
  return {
    spend: connection.prepare<{ id: string; expiresAt: number }, never>(
      'insert into spent (id, expires_at) values (@id, @expiresAt) on conflict do nothing',
    ),
    find: connection.prepare<{ id: string }, { id: string }>('select id from spent where id = @id'),
    removeExpired: connection.prepare<{ now: number }, never>('delete from spent where expires_at <= @now'),
  };
}
