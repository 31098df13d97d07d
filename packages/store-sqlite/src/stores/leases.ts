import type { Lease, LeaseAgent, LeasedTime, LeaseStore } from '@svc/device-lab';
import type { Connection } from '../connection/connection.ts';
import type { NoParams } from '../connection/statement.ts';
import type { AgentLeaseTimeRow, LeaseRow } from '../schema/rows/lab.ts';

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

  leasedTimes(day: number): LeasedTime[] {
    return this.#statements.times.all({ day });
  }

  saveLeasedTimes(day: number, times: readonly LeasedTime[]): void {
    this.#connection.join(() => {
      for (const { id, ms } of times) this.#statements.saveTime.run({ agent_id: id, day, ms });
      this.#statements.removeOtherDays.run({ day });
    });
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
    times: connection.prepare<{ day: number }, LeasedTime>(
      'select agent_id as id, ms from agent_lease_times where day = @day',
    ),
    saveTime: connection.prepare<AgentLeaseTimeRow, never>(`
      insert into agent_lease_times (agent_id, day, ms) values (@agent_id, @day, @ms)
      on conflict (agent_id) do update set day = @day, ms = @ms`),
    removeOtherDays: connection.prepare<{ day: number }, never>(
      'delete from agent_lease_times where day <> @day',
    ),
  };
}
