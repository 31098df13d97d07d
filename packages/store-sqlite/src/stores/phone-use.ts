import type { HourOfUse, PhoneUse, PhoneUseStore } from '@svc/device-lab';
import type { Connection } from '../connection/connection.ts';
import type { PhoneUseRow } from '../schema/rows/lab.ts';

/**
 * Value of the team column for a phone in the shared pool. The column cannot be null, because it is part of the primary
 * key.
 */
const SHARED_POOL = '';

/** Stores how long phones were used, in totals by hour. */
export class PhoneUseRows implements PhoneUseStore {
  readonly #connection: Connection;
  readonly #statements: ReturnType<typeof statements>;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#statements = statements(connection);
  }

  add(hours: readonly HourOfUse[]): void {
    this.#connection.join(() => {
      for (const { hour, udid, teamId, presentMs, busyMs, leasedMs, waitedMs } of hours) {
        this.#statements.add.run({
          hour,
          udid,
          team_id: teamId ?? SHARED_POOL,
          present_ms: presentMs,
          busy_ms: busyMs,
          leased_ms: leasedMs,
          waited_ms: waitedMs,
        });
      }
    });
  }

  since(at: number): PhoneUse[] {
    return this.#statements.since.all({ at }).map((row) => ({
      udid: row.udid,
      teamId: row.team_id === SHARED_POOL ? null : row.team_id,
      presentMs: row.present_ms,
      busyMs: row.busy_ms,
      leasedMs: row.leased_ms,
      waitedMs: row.waited_ms,
    }));
  }

  removeBefore(at: number, most: number): number {
    return this.#connection.join(() => this.#statements.removeBefore.run({ at, most }));
  }
}

/** Sums the use of each phone since `at`. The primary key begins with `hour`, so SQLite reads no earlier hours. */
export const SINCE = `
  select udid, team_id, sum(present_ms) as present_ms, sum(busy_ms) as busy_ms, sum(leased_ms) as leased_ms,
    sum(waited_ms) as waited_ms
  from phone_use where hour >= @at group by udid, team_id`;

/** Removes at most `most` totals of hours that began before `at`, the oldest ones first. */
export const REMOVE_BEFORE = `
  delete from phone_use where (hour, udid, team_id) in (
    select hour, udid, team_id from phone_use where hour < @at order by hour limit @most)`;

function statements(connection: Connection) {
  return {
    add: connection.prepare<PhoneUseRow, never>(`
      insert into phone_use (hour, udid, team_id, present_ms, busy_ms, leased_ms, waited_ms)
      values (@hour, @udid, @team_id, @present_ms, @busy_ms, @leased_ms, @waited_ms)
      on conflict (hour, udid, team_id) do update set
        present_ms = present_ms + @present_ms, busy_ms = busy_ms + @busy_ms,
        leased_ms = leased_ms + @leased_ms, waited_ms = waited_ms + @waited_ms`),
    since: connection.prepare<{ at: number }, Omit<PhoneUseRow, 'hour'>>(SINCE),
    removeBefore: connection.prepare<{ at: number; most: number }, never>(REMOVE_BEFORE),
  };
}
