import type { Clock, Log } from '@svc/auth-core';
import { decode, encode } from './encode.ts';
import {
  type ChunkHead,
  type CommandLogStore,
  LOG_BOUNDS,
  type LogChunk,
  type LoggedCommand,
  type ObservedCommand,
} from './entry.ts';
import { TypedTexts } from './typed-texts.ts';

const UTF8 = new TextEncoder();
const DAY_MS = 24 * 60 * 60 * 1000;
const MOST_WAITING = 20_000;
const MOST_WAITING_BYTES = 32 * 1024 * 1024;
/** Trimming takes whole chunks, so they stay small beside a session's bounds. */
const ROWS_OF_CHUNK = 100;

interface CommandLogOptions {
  readonly store: CommandLogStore;
  readonly clock: Clock;
  readonly log: Log;
  /** `SVC_EVENT_LOG_RETENTION_DAYS`. */
  readonly retentionDays: number;
}

/** What is known of a session's log while it runs. */
interface Kept {
  readonly typed: TypedTexts;
  readonly heads: ChunkHead[];
  nextSeq: number;
}

/**
 * Every command of every session, masked and bounded. A command only leaves itself here; whoever owns the log calls
 * `flush` about once a second and before the end. A crash loses what came since.
 */
export class CommandLog {
  readonly #store: CommandLogStore;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #retentionMs: number;
  readonly #kept = new Map<string, Kept>();
  #waiting: ObservedCommand[] = [];
  #waitingBytes = 0;
  #lost = 0;
  #ended = new Set<string>();

  constructor({ store, clock, log, retentionDays }: CommandLogOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#retentionMs = retentionDays * DAY_MS;
  }

  /** Whether what comes now will be kept. */
  get accepts(): boolean {
    return this.#waiting.length < MOST_WAITING;
  }

  /** Costs an array push. In a flood bodies go first, then whole commands; they are counted. */
  add(seen: ObservedCommand): void {
    if (!this.accepts) {
      this.#lost++;
      return;
    }
    if (this.#waitingBytes + seen.size > MOST_WAITING_BYTES) seen.shed();
    else this.#waitingBytes += seen.size;
    this.#waiting.push(seen);
  }

  /** Masks and writes what waits. Never throws: what cannot be written is lost, and the log says so. */
  flush(): void {
    const waiting = this.#waiting;
    if (waiting.length > 0) this.#write(waiting);
    if (this.#lost > 0) this.#log.warn(`${this.#lost} commands were too many for the session log`);
    this.#lost = 0;
    for (const id of this.#ended) this.#kept.delete(id);
    this.#ended.clear();
  }

  /** The session is over. Its last answers may still be under way. */
  end(sessionId: string): void {
    this.#ended.add(sessionId);
  }

  /** Oldest first; `after` is a `seq`. */
  read(sessionId: string, after = 0, limit: number = LOG_BOUNDS.rowsOfSession): LoggedCommand[] {
    this.flush();
    return this.#store
      .chunks(sessionId)
      .filter(({ seq, rows }) => seq + rows - 1 > after)
      .flatMap(({ entries, seq }) => decode(entries, seq))
      .filter(({ seq }) => seq > after)
      .slice(0, limit);
  }

  /** Forgets what is older than the retention allows. */
  prune(): void {
    this.#store.removeBefore(this.#clock.now() - this.#retentionMs);
  }

  #write(waiting: readonly ObservedCommand[]): void {
    this.#waiting = [];
    this.#waitingBytes = 0;
    try {
      const written = [...bySession(waiting)].map(([id, commands]) => this.#chunksOf(id, commands));
      const trimmed = written.flatMap(({ trim }) => trim ?? []);
      this.#store.write(
        written.flatMap(({ chunks }) => chunks),
        trimmed,
      );
    } catch (error) {
      // Counters may be ahead of the tables now; they are read again.
      this.#kept.clear();
      this.#log.error(`${waiting.length} commands could not be written to the session log`, {
        cause: String(error),
      });
    }
  }

  #chunksOf(sessionId: string, commands: readonly ObservedCommand[]) {
    const kept = this.#keptOf(sessionId);
    const chunks: LogChunk[] = [];
    for (let from = 0; from < commands.length; from += ROWS_OF_CHUNK) {
      const part = commands.slice(from, from + ROWS_OF_CHUNK);
      const entries = `[${part.map((seen) => encode(seen, kept.typed)).join(',')}]`;
      const head = { seq: kept.nextSeq, rows: part.length, bytes: UTF8.encode(entries).length };
      kept.nextSeq += part.length;
      kept.heads.push(head);
      chunks.push({ ...head, sessionId, lastAt: (part.at(-1) as ObservedCommand).at, entries });
    }
    const first = firstKept(kept.heads);
    const trim = first > 0 ? { sessionId, seq: (kept.heads[first] as ChunkHead).seq } : undefined;
    kept.heads.splice(0, first);
    return { chunks: chunks.filter(({ seq }) => seq >= (trim?.seq ?? 0)), trim };
  }

  #keptOf(sessionId: string): Kept {
    let kept = this.#kept.get(sessionId);
    if (kept === undefined) {
      const heads = this.#store.heads(sessionId);
      const last = heads.at(-1);
      kept = { typed: new TypedTexts(), heads, nextSeq: last === undefined ? 1 : last.seq + last.rows };
      this.#kept.set(sessionId, kept);
    }
    return kept;
  }
}

/** Index of the oldest chunk that stays within the bounds of a session; the newest always stays. */
function firstKept(heads: readonly ChunkHead[]): number {
  let rows = 0;
  let bytes = 0;
  for (let index = heads.length - 1; index >= 0; index--) {
    const head = heads[index] as ChunkHead;
    rows += head.rows;
    bytes += head.bytes;
    if (rows > LOG_BOUNDS.rowsOfSession || bytes > LOG_BOUNDS.bytesOfSession) {
      return Math.min(index + 1, heads.length - 1);
    }
  }
  return 0;
}

function bySession(waiting: readonly ObservedCommand[]): Map<string, ObservedCommand[]> {
  const sessions = new Map<string, ObservedCommand[]>();
  for (const seen of waiting) {
    const commands = sessions.get(seen.sessionId);
    if (commands === undefined) sessions.set(seen.sessionId, [seen]);
    else commands.push(seen);
  }
  return sessions;
}
