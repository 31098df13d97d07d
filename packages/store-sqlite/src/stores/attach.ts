import type { StoredCaller } from '@svc/auth-core';
import type { AttachAddress, AttachStore, AttachUse } from '@svc/device-lab';
import type { Connection } from '../connection/connection.ts';
import type { NoParams } from '../connection/statement.ts';
import type { AttachRow } from '../schema/rows/lab.ts';

export class AttachRows implements AttachStore {
  readonly #connection: Connection;
  readonly #statements: ReturnType<typeof statements>;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#statements = statements(connection);
  }

  all(): AttachAddress[] {
    return this.#statements.all.all({}).map((row) => ({
      id: row.id,
      sessionId: row.session_id,
      hash: row.hash,
      accountId: row.account_id,
      maker: JSON.parse(row.maker) as StoredCaller,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      lastUse:
        row.last_used_at === null
          ? null
          : { at: row.last_used_at, address: row.last_address, userAgent: row.last_agent },
    }));
  }

  insert(address: AttachAddress): void {
    const { lastUse } = address;
    const row: AttachRow = {
      id: address.id,
      session_id: address.sessionId,
      hash: address.hash,
      account_id: address.accountId,
      maker: JSON.stringify(address.maker),
      created_at: address.createdAt,
      expires_at: address.expiresAt,
      last_used_at: lastUse?.at ?? null,
      last_address: lastUse?.address ?? null,
      last_agent: lastUse?.userAgent ?? null,
    };
    this.#connection.join(() => this.#statements.insert.run(row));
  }

  used(id: string, { at, address, userAgent }: AttachUse): void {
    const row = { id, last_used_at: at, last_address: address, last_agent: userAgent };
    this.#connection.join(() => this.#statements.used.run(row));
  }

  remove(id: string): void {
    this.#connection.join(() => this.#statements.remove.run({ id }));
  }
}

function statements(connection: Connection) {
  return {
    all: connection.prepare<NoParams, AttachRow>('select * from attach_addresses order by created_at, rowid'),
    insert: connection.prepare<AttachRow, never>(`
      insert into attach_addresses (
        id, session_id, hash, account_id, maker, created_at, expires_at, last_used_at, last_address, last_agent)
      values (
        @id, @session_id, @hash, @account_id, @maker, @created_at, @expires_at, @last_used_at, @last_address,
        @last_agent)`),
    used: connection.prepare<Pick<AttachRow, 'id' | 'last_used_at' | 'last_address' | 'last_agent'>, never>(`
      update attach_addresses
      set last_used_at = @last_used_at, last_address = @last_address, last_agent = @last_agent
      where id = @id`),
    remove: connection.prepare<{ id: string }, never>('delete from attach_addresses where id = @id'),
  };
}
