import type { Revocation, RevocationStore } from '@svc/auth-core';
import type { Caches } from '../cache/caches.ts';
import type { Connection } from '../connection/connection.ts';
import type { RevokedTokenRow } from '../schema/rows/credentials.ts';

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

  countOf(accountId: string): number {
    return this.#statements.countOf.get({ accountId })?.count ?? 0;
  }

  add(revocation: Revocation): void {
    this.#statements.add.run({ ...revocation, cascades: Number(revocation.cascades) });
    this.#caches.revoked.set(revocation.id, revocation.cascades);
  }

  removeExpired(now: number): void {
    if (this.#statements.removeExpired.run({ now }) > 0) this.#caches.revoked.clear();
  }

  *#read(): Iterable<readonly [string, boolean]> {
    for (const { id, cascades } of this.#statements.all.all({})) yield [id, cascades === 1];
  }
}

function revocationOf({ id, account_id, cascades, expires_at }: RevokedTokenRow): Revocation {
  return { id, accountId: account_id, cascades: cascades === 1, expiresAt: expires_at };
}

function statements(connection: Connection) {
  return {
    all: connection.prepare<object, RevokedTokenRow>('select * from revoked_tokens order by id'),
    countOf: connection.prepare<{ accountId: string }, { count: number }>(
      'select count(*) as count from revoked_tokens where account_id = @accountId',
    ),
    add: connection.prepare<Omit<Revocation, 'cascades'> & { cascades: number }, never>(`
      insert into revoked_tokens (id, account_id, cascades, expires_at)
      values (@id, @accountId, @cascades, @expiresAt)
      on conflict (id) do update set
        cascades = max(cascades, excluded.cascades), expires_at = max(expires_at, excluded.expires_at)`),
    removeExpired: connection.prepare<{ now: number }, never>(
      'delete from revoked_tokens where expires_at <= @now',
    ),
  };
}
