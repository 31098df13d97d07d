import type { Revocation, RevocationCount, RevocationStore } from '@svc/auth-core';
import type { Caches } from '../cache/caches.ts';
import type { Connection } from '../connection/connection.ts';
import type { RevokedTokenRow } from '../schema/rows/credentials.ts';

/** Condition for records that are not records of groups of tokens (see `isGroup`). Every other id is a UUID. */
const NO_GROUP = "id not like 'agents-%' and id not like 'bearers-%'";

export class RevokedTokenRows implements RevocationStore {
  readonly #connection: Connection;
  readonly #caches: Caches;
  readonly #statements: ReturnType<typeof statements>;

  constructor(connection: Connection, caches: Caches) {
    this.#connection = connection;
    this.#caches = caches;
    this.#statements = statements(connection);
  }

  find(id: string): Pick<Revocation, 'cascades'> | undefined {
    this.#connection.checkForOtherWriters();
    const cascades = this.#caches.revoked.all(() => this.#read()).get(id);
    return cascades === undefined ? undefined : { cascades };
  }

  all(): Revocation[] {
    return this.#statements.all.all({}).map(revocationOf);
  }

  countOf(accountId: string): RevocationCount {
    return this.#statements.countOf.get({ accountId }) ?? { tokens: 0, credentials: 0 };
  }

  add(revocation: Revocation): void {
    this.#statements.add.run({ ...revocation, cascades: Number(revocation.cascades) });
    this.#caches.revoked.set(revocation.id, revocation.cascades);
    if (revocation.cascades && this.#statements.removeMinted.run(revocation) > 0)
      this.#caches.revoked.clear();
  }

  replaceAllOf(group: Revocation, replaced: 'tokens' | 'all'): void {
    const { removeAllOf, removeTokensOf } = this.#statements;
    const remove = replaced === 'all' ? removeAllOf : removeTokensOf;
    if (remove.run({ accountId: group.accountId }) > 0) this.#caches.revoked.clear();
    this.add(group);
  }

  removeExpired(now: number): void {
    if (this.#statements.removeExpired.run({ now }) > 0) this.#caches.revoked.clear();
  }

  *#read(): Iterable<readonly [string, boolean]> {
    for (const { id, cascades } of this.#statements.all.all({})) yield [id, cascades === 1];
  }
}

function revocationOf({ id, account_id, cascades, expires_at, source_id }: RevokedTokenRow): Revocation {
  return {
    id,
    accountId: account_id,
    cascades: cascades === 1,
    expiresAt: expires_at,
    sourceId: source_id,
  };
}

function statements(connection: Connection) {
  return {
    all: connection.prepare<object, RevokedTokenRow>('select * from revoked_tokens order by id'),
    countOf: connection.prepare<{ accountId: string }, RevocationCount>(`
      select count(source_id) as tokens, count(*) - count(source_id) as credentials
      from revoked_tokens where account_id = @accountId and ${NO_GROUP}`),
    add: connection.prepare<Omit<Revocation, 'cascades'> & { cascades: number }, never>(`
      insert into revoked_tokens (id, account_id, cascades, expires_at, source_id)
      values (@id, @accountId, @cascades, @expiresAt, @sourceId)
      on conflict (id) do update set
        cascades = max(cascades, excluded.cascades), expires_at = max(expires_at, excluded.expires_at)`),
    removeMinted: connection.prepare<Pick<Revocation, 'id' | 'accountId'>, never>(
      'delete from revoked_tokens where account_id = @accountId and source_id = @id',
    ),
    removeAllOf: connection.prepare<{ accountId: string }, never>(
      `delete from revoked_tokens where account_id = @accountId and ${NO_GROUP}`,
    ),
    removeTokensOf: connection.prepare<{ accountId: string }, never>(
      `delete from revoked_tokens where account_id = @accountId and source_id is not null and ${NO_GROUP}`,
    ),
    removeExpired: connection.prepare<{ now: number }, never>(
      'delete from revoked_tokens where expires_at <= @now',
    ),
  };
}
