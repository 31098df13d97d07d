import type { DriverSession, DriverSessionStore } from '../driver-session.ts';
import type { MemoryCommandLog } from './memory-command-log.ts';

/** Sessions in memory, for tests. `failing` makes every call throw. */
export class MemoryDriverSessions implements DriverSessionStore {
  readonly rows = new Map<string, DriverSession>();
  failing: Error | null = null;
  readonly #commands: MemoryCommandLog | undefined;

  /** `commands`: the logs that go with their sessions. */
  constructor(commands?: MemoryCommandLog) {
    this.#commands = commands;
  }

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

  removeEndedBefore(at: number, most: number): number {
    this.#answer();
    const old = [...this.rows.values()]
      .filter(({ endedAt }) => endedAt !== null && endedAt < at)
      .sort((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0))
      .slice(0, most);
    for (const { id } of old) {
      this.rows.delete(id);
      this.#commands?.removeSession(id);
    }
    return old.length;
  }

  #answer(): void {
    if (this.failing !== null) throw this.failing;
  }
}
