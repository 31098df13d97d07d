import {
  added,
  type HourOfUse,
  type KindMonth,
  monthOf,
  NO_USE,
  type PhoneUse,
  type PhoneUseStore,
} from '../use/phone-use.ts';

/** Store of the usage times of phones in memory, for tests. */
export class MemoryPhoneUse implements PhoneUseStore {
  rows: HourOfUse[] = [];

  add(hours: readonly HourOfUse[]): void {
    this.rows.push(...hours);
  }

  kinds: KindMonth[] = [];

  addKinds(kinds: readonly KindMonth[]): void {
    this.kinds.push(...kinds);
  }

  ofMonth(month: number): PhoneUse[] {
    return totalsOf(this.rows.filter(({ hour }) => monthOf(hour) === month));
  }

  kindsOf(at: number): KindMonth[] {
    const totals = new Map<string, KindMonth>();
    for (const { month, kind, savedMs } of this.kinds)
      if (month === at)
        totals.set(kind, { month, kind, savedMs: savedMs + (totals.get(kind)?.savedMs ?? 0) });
    return [...totals.values()];
  }

  removeMonthsBefore(): void {}

  of(at: number): PhoneUse[] {
    return totalsOf(this.rows.filter(({ hour }) => hour === at));
  }

  removeBefore(at: number, most: number): number {
    const old = this.rows
      .filter(({ hour }) => hour < at)
      .toSorted((a, b) => a.hour - b.hour)
      .slice(0, most);
    this.rows = this.rows.filter((row) => !old.includes(row));
    return old.length;
  }
}

function totalsOf(rows: readonly HourOfUse[]): PhoneUse[] {
  const totals = new Map<string, PhoneUse>();
  for (const row of rows) {
    const { udid, teamId } = row;
    const key = JSON.stringify([udid, teamId]);
    totals.set(key, { udid, teamId, ...added(totals.get(key) ?? NO_USE, row) });
  }
  return [...totals.values()].toSorted((a, b) => (a.udid < b.udid ? -1 : 1));
}
