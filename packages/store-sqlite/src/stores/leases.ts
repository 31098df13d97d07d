import type { Lease, LeaseStore } from '@svc/device-lab';
import type { Connection } from '../connection/connection.ts';
import type { NoParams } from '../connection/statement.ts';
import type { LeaseRow } from '../schema/rows/lab.ts';

export class LeaseRows implements LeaseStore {
  readonly #connection: Connection;
  readonly #statements: ReturnType<typeof statements>;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#statements = statements(connection);
  }

  all(): Lease[] {
    return this.#statements.all.all({}).map((row) => ({
      id: row.id,
      udid: row.udid,
      ownerId: row.owner_id,
      hash: row.hash,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
    }));
  }

  insert({ id, udid, ownerId, hash, createdAt, expiresAt }: Lease): void {
    const row = { id, udid, owner_id: ownerId, hash, created_at: createdAt, expires_at: expiresAt };
    this.#connection.join(() => this.#statements.insert.run(row));
  }

  extend(id: string, expiresAt: number): void {
    this.#connection.join(() => this.#statements.extend.run({ id, expires_at: expiresAt }));
  }

  remove(id: string): void {
    this.#connection.join(() => this.#statements.remove.run({ id }));
  }
}

function statements(connection: Connection) {
  return {
    all: connection.prepare<NoParams, LeaseRow>('select * from leases order by created_at, rowid'),
    insert: connection.prepare<LeaseRow, never>(`
      insert into leases (id, udid, owner_id, hash, created_at, expires_at)
      values (@id, @udid, @owner_id, @hash, @created_at, @expires_at)`),
    extend: connection.prepare<Pick<LeaseRow, 'id' | 'expires_at'>, never>(
      'update leases set expires_at = @expires_at where id = @id',
    ),
    remove: connection.prepare<{ id: string }, never>('delete from leases where id = @id'),
  };
}
