import type { DayOfSessions, HealthRow, HealthStore } from '../care/health-history.ts';

/** Store of the health of phones in memory, for tests. */
export class MemoryHealth implements HealthStore {
  rows: HealthRow[] = [];
  readonly days = new Map<string, DayOfSessions & { readonly udid: string }>();

  save(...rows: HealthRow[]): void {
    for (const row of rows) {
      this.rows = this.rows.filter(({ udid, at }) => udid !== row.udid || at !== row.at);
      this.rows.push(row);
    }
  }

  of(udid: string, from: number): HealthRow[] {
    return this.rows.filter((row) => row.udid === udid && row.at >= from).sort((a, b) => a.at - b.at);
  }

  count(udid: string, day: number, more: Omit<DayOfSessions, 'day'>): void {
    const key = `${udid} ${day}`;
    const { ended, failed, refused } = this.days.get(key) ?? { ended: 0, failed: 0, refused: 0 };
    this.days.set(key, {
      ...{ udid, day, ended: ended + more.ended },
      ...{ failed: failed + more.failed, refused: refused + more.refused },
    });
  }

  daysOf(udid: string, from: number): DayOfSessions[] {
    const own = [...this.days.values()].filter((row) => row.udid === udid && row.day >= from);
    return own.map(({ udid: _, ...counts }) => counts).sort((a, b) => a.day - b.day);
  }

  totals(from: number) {
    const udids = new Set([...this.days.values()].map(({ udid }) => udid));
    return [...udids].flatMap((udid) => {
      const days = this.daysOf(udid, from);
      const sum = (read: (day: DayOfSessions) => number) => days.reduce((total, day) => total + read(day), 0);
      const counts = { ended: sum((day) => day.ended), failed: sum((day) => day.failed) };
      return days.length === 0 ? [] : [{ udid, ...counts, refused: sum((day) => day.refused) }];
    });
  }

  removeBefore(before: number, most: number): number {
    const removed = new Set(this.rows.filter(({ at }) => at < before).slice(0, most));
    this.rows = this.rows.filter((row) => !removed.has(row));
    return removed.size;
  }
}
