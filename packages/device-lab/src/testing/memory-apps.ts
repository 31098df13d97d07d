import type { AppStore, LibraryApp } from '../apps/library-app.ts';

/** Store of the app library's rows in memory, for tests. */
export class MemoryApps implements AppStore {
  readonly rows = new Map<string, LibraryApp>();

  insert(app: LibraryApp): void {
    this.rows.set(app.id, app);
  }

  remove(id: string): void {
    this.rows.delete(id);
  }

  byId(id: string): LibraryApp | undefined {
    return this.rows.get(id);
  }

  list(): LibraryApp[] {
    return [...this.rows.values()].reverse().sort((a, b) => b.createdAt - a.createdAt);
  }

  totals(): { count: number; bytes: number } {
    const sizes = [...this.rows.values()].map(({ size }) => size);
    return { count: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
  }
}
