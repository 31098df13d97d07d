import { added, type HourOfUse, NO_USE, type PhoneUse, type PhoneUseStore } from '../use/phone-use.ts';

/** Store of the usage times of phones in memory, for tests. */
export class MemoryPhoneUse implements PhoneUseStore {
  rows: HourOfUse[] = [];

  add(hours: readonly HourOfUse[]): void {
    this.rows.push(...hours);
  }

  of(at: number): PhoneUse[] {
    const totals = new Map<string, PhoneUse>();
    for (const row of this.rows.filter(({ hour }) => hour === at)) {
      const { udid, teamId } = row;
      const key = JSON.stringify([udid, teamId]);
      totals.set(key, { udid, teamId, ...added(totals.get(key) ?? NO_USE, row) });
    }
    return [...totals.values()].toSorted((a, b) => (a.udid < b.udid ? -1 : 1));
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
