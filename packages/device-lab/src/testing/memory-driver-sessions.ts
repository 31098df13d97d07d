import type { DriverSession, DriverSessionStore } from '../driver-session.ts';

/** Sessions in memory, for tests. `failing` makes every call throw. */
export class MemoryDriverSessions implements DriverSessionStore {
  readonly rows = new Map<string, DriverSession>();
  failing: Error | null = null;

  insert(session: DriverSession): void {
    this.#answer();
    if (this.rows.has(session.id)) throw new Error(`session ${session.id} is there already`);
    this.rows.set(session.id, session);
  }

  update(id: string, change: Partial<DriverSession>): void {
    this.#answer();
    const session = this.rows.get(id);
    if (session !== undefined) this.rows.set(id, { ...session, ...change });
  }

  byId(id: string): DriverSession | undefined {
    this.#answer();
    return this.rows.get(id);
  }

  list({ ownerId, limit }: { ownerId?: string; limit: number }): DriverSession[] {
    this.#answer();
    return [...this.rows.values()]
      .filter((session) => ownerId === undefined || session.ownerId === ownerId)
      .sort((a, b) => b.startedAt - a.startedAt)
      .slice(0, limit);
  }

  running(): DriverSession[] {
    this.#answer();
    return [...this.rows.values()].filter((session) => session.endedAt === null);
  }

  #answer(): void {
    if (this.failing !== null) throw this.failing;
  }
}
