import type { CleaningRow, CleaningStore } from '../care/cleaning/cleaning-store.ts';

/** Store of phones that have to be cleaned in memory, for tests. */
export class MemoryCleaning implements CleaningStore {
  readonly rows = new Map<string, CleaningRow>();

  all(): CleaningRow[] {
    return [...this.rows.values()];
  }

  save(row: CleaningRow): void {
    this.rows.set(row.udid, row);
  }

  remove(udid: string): void {
    this.rows.delete(udid);
  }
}
