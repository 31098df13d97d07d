import type { CareStore, OutOfServiceRow } from '../care/care-store.ts';

/** Store of phones that are out of service in memory, for tests. */
export class MemoryCare implements CareStore {
  readonly rows = new Map<string, OutOfServiceRow>();

  all(): OutOfServiceRow[] {
    return [...this.rows.values()].sort((a, b) => (a.udid < b.udid ? -1 : 1));
  }

  save(row: OutOfServiceRow): void {
    this.rows.set(row.udid, row);
  }

  remove(udid: string): void {
    this.rows.delete(udid);
  }
}
