import {
  type DriverSession,
  type DriverSessionFilter,
  type DriverSessionStore,
  SEARCHED_SESSIONS,
} from '../driver-session.ts';
import type { MemoryCommandLog } from './memory-command-log.ts';

/** Store of sessions in memory, for tests. If `failing` is set, every call throws this error. */
export class MemoryDriverSessions implements DriverSessionStore {
  readonly rows = new Map<string, DriverSession>();
  failing: Error | null = null;
  readonly #commands: MemoryCommandLog | undefined;

  /** @param commands command logs. When a session is removed, its commands are removed from them. */
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

  read(filter: DriverSessionFilter): DriverSession[] {
    const { ownerId, status, name, before, limit, from, to } = filter;
    this.#answer();
    const newest = [...this.rows.values()]
      .filter((session) => ownerId === undefined || session.ownerId === ownerId)
      .reverse()
      .sort((a, b) => b.startedAt - a.startedAt);
    const place = before === undefined ? -1 : newest.findIndex(({ id }) => id === before);
    const older = before !== undefined && place === -1 ? [] : newest.slice(place + 1);
    return older
      .filter((session) => status === undefined || session.status === status)
      .filter((session) => name === undefined || session.name === name)
      .filter(({ startedAt }) => startedAt >= (from ?? 0) && startedAt < (to ?? Number.POSITIVE_INFINITY))
      .slice(0, SEARCHED_SESSIONS)
      .filter((session) => isSelected(session, filter))
      .slice(0, limit);
  }

  running(): DriverSession[] {
    this.#answer();
    return [...this.rows.values()].filter((session) => session.endedAt === null);
  }

  msOfAgent(agentId: string, since: number): number {
    this.#answer();
    return [...this.rows.values()]
      .filter(({ agent }) => agent?.id === agentId)
      .map(({ startedAt, endedAt }) => Math.max(0, (endedAt ?? 0) - Math.max(startedAt, since)))
      .reduce((sum, ms) => sum + ms, 0);
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

function textsOf({ id, name, tags, device, node, failureReason }: DriverSession): string[] {
  return [id, name, device?.udid, device?.name, node, failureReason, ...tags].filter(
    (text) => text !== null && text !== undefined,
  );
}

function contains(text: string, part: string): boolean {
  return lower(text).includes(lower(part));
}

/** Changes ASCII letters to lower case, and no others. SQLite's `lower` and `LIKE` do the same. */
function lower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function isSelected(session: DriverSession, { search, udid, tag, category }: DriverSessionFilter): boolean {
  return (
    (search === undefined || textsOf(session).some((text) => contains(text, search))) &&
    (udid === undefined || session.device?.udid === udid) &&
    (tag === undefined || session.tags.includes(tag)) &&
    (category === undefined || session.failureCategory === category)
  );
}
