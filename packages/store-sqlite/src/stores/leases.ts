import type { Lease, LeaseAgent, LeaseStore } from '@svc/device-lab';
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
      ...(row.agent === null ? {} : { agent: JSON.parse(row.agent) as LeaseAgent }),
    }));
  }

  insert({ id, udid, ownerId, hash, createdAt, expiresAt, agent }: Lease): void {
    const times = { created_at: createdAt, expires_at: expiresAt };
    const row = {
      id,
      udid,
      owner_id: ownerId,
      hash,
      ...times,
      agent: agent === undefined ? null : JSON.stringify(agent),
    };
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
      insert into leases (id, udid, owner_id, hash, created_at, expires_at, agent)
      values (@id, @udid, @owner_id, @hash, @created_at, @expires_at, @agent)`),
    extend: connection.prepare<Pick<LeaseRow, 'id' | 'expires_at'>, never>(
      'update leases set expires_at = @expires_at where id = @id',
    ),
    remove: connection.prepare<{ id: string }, never>('delete from leases where id = @id'),
  };
}
