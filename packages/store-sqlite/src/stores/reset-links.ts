import type { ResetLink, ResetLinkStore } from '@svc/auth-core';
import type { Params, Prepare } from '../connection/statements.ts';

export class ResetLinks implements ResetLinkStore {
  readonly #statements: ReturnType<typeof statements>;

  constructor(prepare: Prepare) {
    this.#statements = statements(prepare);
  }

  byHash(hash: string): ResetLink | undefined {
    return this.#statements.byHash.first({ hash });
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

function statements(prepare: Prepare) {
  return {
    byHash: prepare((query, at: Params<{ hash: string }>) =>
      query
        .selectFrom('reset_links')
        .select(['id', 'account_id as accountId', 'created_at as createdAt', 'expires_at as expiresAt'])
        .where('hash', '=', at.hash),
    ),
    insert: prepare((query, at: Params<ResetLink & { hash: string }>) =>
      query.insertInto('reset_links').values({
        id: at.id,
        account_id: at.accountId,
        hash: at.hash,
        created_at: at.createdAt,
        expires_at: at.expiresAt,
      }),
    ),
    cancelAllOf: prepare((query, at: Params<{ accountId: string }>) =>
      query.deleteFrom('reset_links').where('account_id', '=', at.accountId),
    ),
    removeExpired: prepare((query, at: Params<{ now: number }>) =>
      query.deleteFrom('reset_links').where('expires_at', '<=', at.now),
    ),
  };
}
