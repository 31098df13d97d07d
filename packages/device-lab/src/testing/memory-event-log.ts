import type { EventLogStore, LoggedEvent } from '../events/event-log.ts';

/** Store of an event log in memory, for tests. If `failing` is set, every call throws this error. */
export class MemoryEventLog implements EventLogStore {
  /** Stored events, oldest first. */
  rows: LoggedEvent[] = [];
  failing: Error | null = null;

  append(events: readonly LoggedEvent[], most: number): void {
    this.#answer();
    const rows = [...this.rows, ...events];
    if (new Set(rows.map(({ id }) => id)).size < rows.length) throw new Error('an event is there already');
    this.rows = rows.slice(-most);
  }

  has(id: string): boolean {
    this.#answer();
    return this.rows.some((row) => row.id === id);
  }

  page(before: string | null, limit: number): LoggedEvent[] {
    this.#answer();
    const end = before === null ? this.rows.length : this.rows.findIndex(({ id }) => id === before);
    return this.rows.slice(0, Math.max(0, end)).reverse().slice(0, limit);
  }

  removeBefore(at: number, most: number): number {
    this.#answer();
    const removed = new Set(this.rows.filter((row) => row.at < at).slice(0, most));
    this.rows = this.rows.filter((row) => !removed.has(row));
    return removed.size;
  }

  #answer(): void {
    if (this.failing !== null) throw this.failing;
  }
}
