import type { AppStore, LibraryApp } from '@svc/device-lab';
import type { Connection } from '../connection/connection.ts';
import type { NoParams } from '../connection/statement.ts';
import type { AppRow } from '../schema/rows/lab.ts';

export class AppRows implements AppStore {
  readonly #connection: Connection;
  readonly #statements: ReturnType<typeof statements>;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#statements = statements(connection);
  }

  insert({ id, name, size, sha256, createdAt, uploadedBy }: LibraryApp): void {
    const row = { id, name, size, sha256, created_at: createdAt, uploaded_by: uploadedBy };
    this.#connection.join(() => this.#statements.insert.run(row));
  }

  remove(id: string): void {
    this.#connection.join(() => this.#statements.remove.run({ id }));
  }

  byId(id: string): LibraryApp | undefined {
    const row = this.#statements.byId.get({ id });
    return row === undefined ? undefined : appOf(row);
  }

  list(): LibraryApp[] {
    return this.#statements.list.all({}).map(appOf);
  }

  totals(): { count: number; bytes: number } {
    return this.#statements.totals.get({}) as { count: number; bytes: number };
  }
}

function appOf({
  id,
  name,
  size,
  sha256,
  created_at: createdAt,
  uploaded_by: uploadedBy,
}: AppRow): LibraryApp {
  return { id, name, size, sha256, createdAt, uploadedBy };
}

function statements(connection: Connection) {
  return {
    insert: connection.prepare<AppRow, never>(
      `insert into apps (id, name, size, sha256, created_at, uploaded_by)
      values (@id, @name, @size, @sha256, @created_at, @uploaded_by)`,
    ),
    remove: connection.prepare<{ id: string }, never>('delete from apps where id = @id'),
    byId: connection.prepare<{ id: string }, AppRow>('select * from apps where id = @id'),
    list: connection.prepare<NoParams, AppRow>('select * from apps order by created_at desc, rowid desc'),
    totals: connection.prepare<NoParams, { count: number; bytes: number }>(
      'select count(*) as count, coalesce(sum(size), 0) as bytes from apps',
    ),
  };
}
