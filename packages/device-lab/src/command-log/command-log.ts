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
import { FoundElements } from './found-elements.ts';
import { TypedTexts } from './typed-texts.ts';

const UTF8 = new TextEncoder();
const DAY_MS = 24 * 60 * 60 * 1000;
const MOST_WAITING = 20_000;
const MOST_WAITING_BYTES = 32 * 1024 * 1024;
/**
 * Maximum number of commands in one chunk. A chunk is parsed in one piece, while all other requests wait. Old commands
 * are removed in whole chunks, so a chunk must also be small compared to the number of commands that are stored for a
 * session.
 */
const ROWS_OF_CHUNK = 25;
/** Number of chunks removed in one transaction. Limited, because all other requests wait for the transaction. */
const REMOVED_AT_ONCE = 200;

interface CommandLogOptions {
  readonly store: CommandLogStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns the current value of the setting `SVC_EVENT_LOG_RETENTION_DAYS`. */
  readonly retentionDays: () => number;
  /** Called for each command before the client gets the response, so it must return immediately. */
  readonly onCommand?: ((seen: ObservedCommand) => void) | undefined;
}

/** Chunks (without their content) and next command number of a session's log, cached so that they are read only once. */
interface SessionLog {
  readonly heads: ChunkHead[];
  nextSeq: number;
}

interface MaskedCommands {
  readonly sessionId: string;
  readonly entries: readonly { readonly at: number; readonly json: string }[];
}

/**
 * Logs the commands of all sessions, with secrets masked and sizes limited. `add` only queues a command. The owner of
 * the log calls `flush` about once a second and before it stops. A crash loses the commands that were queued since the
 * last flush.
 */
export class CommandLog {
  readonly #store: CommandLogStore;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #retentionDays: () => number;
  readonly #onCommand: ((seen: ObservedCommand) => void) | undefined;
  readonly #open = new Map<string, SessionLog>();
  /**
   * Texts that were typed, by session id. They are masked in all later commands, because the device may show them
   * again. Therefore they are kept even if the log cannot be written.
   */
  readonly #typed = new Map<string, TypedTexts>();
  readonly #found = new Map<string, FoundElements>();
  #waiting: ObservedCommand[] = [];
  #waitingBytes = 0;
  #lost = 0;
  #ended = new Set<string>();

  constructor({ store, clock, log, retentionDays, onCommand }: CommandLogOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#retentionDays = retentionDays;
    this.#onCommand = onCommand;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Returns whether the queue has room for another command. */
  get accepts(): boolean {
    return this.#waiting.length < MOST_WAITING;
  }

  /**
   * Queues a command. If the queued commands take too much memory, the bodies of further commands are dropped. If too
   * many commands are queued, further commands are dropped completely, and their number is logged.
   */
  add(seen: ObservedCommand): void {
    this.#onCommand?.(seen);
    if (!this.accepts) {
      this.#lost++;
      return;
    }
    if (this.#waitingBytes + seen.size > MOST_WAITING_BYTES) seen.shed();
    else this.#waitingBytes += seen.size;
    this.#waiting.push(seen);
  }

  /**
   * Masks and writes the queued commands. Never throws. Commands that cannot be written are lost, and an error is
   * logged.
   */
  flush(): void {
    const waiting = this.#waiting;
    if (waiting.length > 0) this.#write(waiting);
    if (this.#lost > 0) this.#log.warn(`${this.#lost} commands were too many for the session log`);
    this.#lost = 0;
    for (const id of this.#ended) {
      this.#open.delete(id);
      this.#typed.delete(id);
      this.#found.delete(id);
    }
    this.#ended.clear();
  }

  /** Drops the state of an ended session, but only at the next flush, because its last responses may still arrive. */
  end(sessionId: string): void {
    this.#ended.add(sessionId);
  }

  /**
   * Yields at most `limit` commands of a session after the command with the number `after`, oldest first. Each command
   * is read and decoded when it is requested, because a whole log takes longer than other requests can wait.
   */
  *read(
    sessionId: string,
    after = 0,
    limit: number = LOG_BOUNDS.rowsOfSession,
  ): Generator<LoggedCommand, void, undefined> {
    this.flush();
    let left = limit;
    for (const { seq, rows } of this.#store.heads(sessionId)) {
      if (seq + rows - 1 <= after) continue;
      const entries = this.#store.entriesAt(sessionId, seq) ?? '[]';
      for (const command of decode(entries, seq, Math.max(0, after - seq + 1))) {
        yield command;
        left -= 1;
        if (left === 0) return;
      }
    }
  }

  /** @returns the number of the newest command of a session, or 0 if there is none */
  lastOf(sessionId: string): number {
    this.flush();
    const last = this.#store.heads(sessionId).at(-1);
    return last === undefined ? 0 : last.seq + last.rows - 1;
  }

  /**
   * Removes some of the commands that are older than the retention time.
   * @returns true if there may be more to remove. If so, call this method again.
   */
  prune(): boolean {
    const before = this.#clock.now() - this.#retentionDays() * DAY_MS;
    return this.#store.removeBefore(before, REMOVED_AT_ONCE) === REMOVED_AT_ONCE;
  }

  #write(waiting: readonly ObservedCommand[]): void {
    this.#waiting = [];
    this.#waitingBytes = 0;
    try {
      // Mask all commands before reading from the store. Masking also collects the typed texts, which must be masked in
      // later commands even if the store fails now.
      const masked = [...bySession(waiting)].map(([id, commands]) => this.#masked(id, commands));
      const written = masked.map((commands) => this.#chunksOf(commands));
      const trimmed = written.flatMap(({ trim }) => trim ?? []);
      this.#store.write(
        written.flatMap(({ chunks }) => chunks),
        trimmed,
      );
    } catch (error) {
      // Drop the cached state, because it may be ahead of the database after a failed write. It is read from the
      // database again.
      this.#open.clear();
      this.#log.error(`${waiting.length} commands could not be written to the session log`, {
        cause: String(error),
      });
    }
  }

  #masked(sessionId: string, commands: readonly ObservedCommand[]): MaskedCommands {
    const typed = ofSession(this.#typed, sessionId, () => new TypedTexts());
    const found = ofSession(this.#found, sessionId, () => new FoundElements());
    return {
      sessionId,
      entries: commands.map((seen) => ({ at: seen.at, json: encode(seen, typed, found) })),
    };
  }

  #chunksOf({ sessionId, entries: commands }: MaskedCommands) {
    const open = this.#logOf(sessionId);
    const chunks: LogChunk[] = [];
    for (let from = 0; from < commands.length; from += ROWS_OF_CHUNK) {
      const part = commands.slice(from, from + ROWS_OF_CHUNK);
      const entries = `[${part.map(({ json }) => json).join(',')}]`;
      const head = { seq: open.nextSeq, rows: part.length, bytes: UTF8.encode(entries).length };
      open.nextSeq += part.length;
      open.heads.push(head);
      chunks.push({ ...head, sessionId, lastAt: part.at(-1)?.at ?? 0, entries });
    }
    const first = firstWithinBounds(open.heads);
    const trim = first > 0 ? { sessionId, seq: (open.heads[first] as ChunkHead).seq } : undefined;
    open.heads.splice(0, first);
    return { chunks: chunks.filter(({ seq }) => seq >= (trim?.seq ?? 0)), trim };
  }

  #logOf(sessionId: string): SessionLog {
    let open = this.#open.get(sessionId);
    if (open === undefined) {
      const heads = this.#store.heads(sessionId);
      const last = heads.at(-1);
      open = { heads, nextSeq: last === undefined ? 1 : last.seq + last.rows };
      this.#open.set(sessionId, open);
    }
    return open;
  }
}

function ofSession<State>(states: Map<string, State>, sessionId: string, create: () => State): State {
  let state = states.get(sessionId);
  if (state === undefined) {
    state = create();
    states.set(sessionId, state);
  }
  return state;
}

/**
 * @returns the index of the oldest chunk that can be kept without exceeding the limits of a session. The newest chunk
 * is always kept.
 */
function firstWithinBounds(heads: readonly ChunkHead[]): number {
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
