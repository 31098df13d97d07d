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

  of(hour: number): PhoneUse[] {
    return this.#statements.of.all({ hour }).map((row) => ({
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

/** Selects the use of each phone in an hour. The primary key begins with `hour`, so SQLite reads no other hours. */
export const OF_HOUR =
  'select udid, team_id, present_ms, busy_ms, leased_ms, waited_ms from phone_use where hour = @hour';

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
    of: connection.prepare<{ hour: number }, Omit<PhoneUseRow, 'hour'>>(OF_HOUR),
    removeBefore: connection.prepare<{ at: number; most: number }, never>(REMOVE_BEFORE),
  };
}
