import type { ReplayStore } from '@svc/auth-core';
import type { Params, Prepare } from '../connection/statements.ts';

export class SqliteReplayStore implements ReplayStore {
  readonly #statements: ReturnType<typeof statements>;

  constructor(prepare: Prepare) {
    this.#statements = statements(prepare);
  }

  /** One statement: of two processes that spend the same id, one is told it was the first. */
  spend(id: string, expiresAt: number): boolean {
    return this.#statements.spend.run({ id, expiresAt }) > 0;
  }

  isSpent(id: string): boolean {
    return this.#statements.find.first({ id }) !== undefined;
  }

  removeExpired(now: number): void {
    this.#statements.removeExpired.run({ now });
  }
}

function statements(prepare: Prepare) {
  return {
    spend: prepare((query, at: Params<{ id: string; expiresAt: number }>) =>
      query
        .insertInto('spent')
        .values({ id: at.id, expires_at: at.expiresAt })
        .onConflict((conflict) => conflict.doNothing()),
    ),
    find: prepare((query, at: Params<{ id: string }>) =>
      query.selectFrom('spent').select('id').where('id', '=', at.id),
    ),
    removeExpired: prepare((query, at: Params<{ now: number }>) =>
      query.deleteFrom('spent').where('expires_at', '<=', at.now),
    ),
  };
}
