import type { DayOfSessions, HealthRow, HealthStore } from '@svc/device-lab';
import type { Connection } from '../connection/connection.ts';
import type { PhoneDayRow, PhoneHealthRow } from '../schema/rows/lab.ts';

/** Stores what probes read from phones. */
export class HealthRows implements HealthStore {
  readonly #connection: Connection;
  readonly #statements: ReturnType<typeof statements>;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#statements = statements(connection);
  }

  save(...rows: HealthRow[]): void {
    this.#connection.join(() => {
      for (const { storageFree, ...row } of rows)
        this.#statements.save.run({ ...row, storage_free: storageFree });
    });
  }

  of(udid: string, from: number): HealthRow[] {
    return this.#statements.of
      .all({ udid, from })
      .map(({ storage_free: storageFree, ...row }) => ({ ...row, storageFree }));
  }

  removeBefore(at: number, most: number): number {
    const { removeBefore, removeDays } = this.#statements;
    return this.#connection.join(() =>
      Math.max(removeBefore.run({ at, most }), removeDays.run({ at, most })),
    );
  }

  count(udid: string, day: number, more: Omit<DayOfSessions, 'day'>): void {
    this.#connection.join(() => this.#statements.count.run({ udid, day, ...more }));
  }

  daysOf(udid: string, from: number): DayOfSessions[] {
    return this.#statements.daysOf.all({ udid, from }).map(({ udid: _, ...counts }) => counts);
  }

  totals(from: number): Omit<PhoneDayRow, 'day'>[] {
    return this.#statements.totals.all({ from });
  }
}

function statements(connection: Connection) {
  return {
    save: connection.prepare<PhoneHealthRow, never>(`
      insert into phone_health (udid, at, battery, temperature, storage_free)
      values (@udid, @at, @battery, @temperature, @storage_free)
      on conflict (udid, at) do update set
        battery = @battery, temperature = @temperature, storage_free = @storage_free`),
    of: connection.prepare<{ udid: string; from: number }, PhoneHealthRow>(
      'select * from phone_health where udid = @udid and at >= @from order by at',
    ),
    removeBefore: connection.prepare<{ at: number; most: number }, never>(`
      delete from phone_health where (udid, at) in (
        select udid, at from phone_health where at < @at order by at limit @most)`),
    count: connection.prepare<PhoneDayRow, never>(`
      insert into phone_days (udid, day, ended, failed, refused) values (@udid, @day, @ended, @failed, @refused)
      on conflict (udid, day) do update set
        ended = ended + @ended, failed = failed + @failed, refused = refused + @refused`),
    daysOf: connection.prepare<{ udid: string; from: number }, PhoneDayRow>(
      'select * from phone_days where udid = @udid and day >= @from order by day',
    ),
    totals: connection.prepare<{ from: number }, Omit<PhoneDayRow, 'day'>>(`
      select udid, sum(ended) as ended, sum(failed) as failed, sum(refused) as refused
      from phone_days where day >= @from group by udid`),
    removeDays: connection.prepare<{ at: number; most: number }, never>(`
      delete from phone_days where (udid, day) in (
        select udid, day from phone_days where day < @at order by day limit @most)`),
  };
}
