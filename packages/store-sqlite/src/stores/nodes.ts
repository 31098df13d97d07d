import type { NodeRecord, NodeStore } from '@svc/nodes';
import type { Connection } from '../connection/connection.ts';
import type { NoParams } from '../connection/statement.ts';
import type { NodeRow } from '../schema/rows/lab.ts';

export class NodeRows implements NodeStore {
  readonly #connection: Connection;
  readonly #statements: ReturnType<typeof statements>;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#statements = statements(connection);
  }

  all(): NodeRecord[] {
    return this.#statements.all.all({}).map((row) => ({
      name: row.name,
      url: row.url,
      basePath: row.base_path,
      version: row.version,
      ownerId: row.owner_id,
      registeredAt: row.registered_at,
      lastSeenAt: row.last_seen_at,
      keyPin: row.key_pin,
    }));
  }

  save({ name, url, basePath, version, ownerId, registeredAt, lastSeenAt, keyPin }: NodeRecord): void {
    const row = {
      name,
      url,
      base_path: basePath,
      version,
      owner_id: ownerId,
      registered_at: registeredAt,
      last_seen_at: lastSeenAt,
      key_pin: keyPin,
    };
    this.#connection.join(() => this.#statements.save.run(row));
  }

  remove(name: string): void {
    this.#connection.join(() => this.#statements.remove.run({ name }));
  }
}

function statements(connection: Connection) {
  return {
    all: connection.prepare<NoParams, NodeRow>('select * from nodes order by name'),
    save: connection.prepare<NodeRow, never>(`
      insert into nodes (name, url, base_path, version, owner_id, registered_at, last_seen_at, key_pin)
      values (@name, @url, @base_path, @version, @owner_id, @registered_at, @last_seen_at, @key_pin)
      on conflict (name) do update set
        url = @url, base_path = @base_path, version = @version, owner_id = @owner_id,
        registered_at = @registered_at, last_seen_at = @last_seen_at, key_pin = @key_pin`),
    remove: connection.prepare<{ name: string }, never>('delete from nodes where name = @name'),
  };
}
