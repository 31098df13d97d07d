import type { CareStore, OutOfServiceRow } from '@svc/device-lab';
import type { Connection } from '../connection/connection.ts';
import type { NoParams } from '../connection/statement.ts';
import type { OutOfServiceTableRow } from '../schema/rows/lab.ts';

export class CareRows implements CareStore {
  readonly #connection: Connection;
  readonly #statements: ReturnType<typeof statements>;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#statements = statements(connection);
  }

  all(): OutOfServiceRow[] {
    return this.#statements.all.all({}).map(({ by_id: byId, ...row }) => ({ ...row, byId }));
  }

  save({ byId, ...row }: OutOfServiceRow): void {
    this.#connection.join(() => this.#statements.save.run({ ...row, by_id: byId }));
  }

  remove(udid: string): void {
    this.#connection.join(() => this.#statements.remove.run({ udid }));
  }
}

function statements(connection: Connection) {
  return {
    all: connection.prepare<NoParams, OutOfServiceTableRow>('select * from out_of_service order by udid'),
    save: connection.prepare<OutOfServiceTableRow, never>(`
      insert into out_of_service (udid, reason, by_id, since, until) values (@udid, @reason, @by_id, @since, @until)
      on conflict (udid) do update set reason = @reason, by_id = @by_id, since = @since, until = @until`),
    remove: connection.prepare<{ udid: string }, never>('delete from out_of_service where udid = @udid'),
  };
}
