/** A WebDriver command as observed, not masked yet. Only the log reads it, and never on the command path. */
export interface ObservedCommand {
  readonly sessionId: string;
  /** Account id; null: the session has no owner. */
  readonly ownerId: string | null;
  /** When it arrived, ms since 1970. */
  readonly at: number;
  readonly method: string;
  /** Without query. */
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  /** What it holds in memory at most, in bytes. */
  readonly size: number;
  /** Parsed; `undefined`: it had none. */
  readonly body: unknown;
  /** Undefined: it had none. `TooLarge`: more than is ever kept. */
  response(): string | TooLarge | undefined;
  /** Drops body and response. */
  shed(): void;
}

/** In place of a body that is too large to be kept. */
export class TooLarge {
  readonly bytes: number;

  constructor(bytes: number) {
    this.bytes = bytes;
  }
}

/** A command as the log keeps and shows it: bounded, secrets masked (contract 2, `/session/:id/session_log`). */
export interface LoggedCommand {
  /** 1 for the session's first command, without gaps; the oldest may have been trimmed. */
  readonly seq: number;
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  /** JSON; a text where it had to be cut; null: none. */
  readonly body: unknown;
  readonly response: unknown;
  /** `findElement`, `svc: setSessionStatus`, `mobile: tap` (contract 11). */
  readonly name: string;
  /** One masked line with what the command acts on, such as `xpath //login`; empty if there is nothing to say. */
  readonly summary: string;
  /** Only if the command was refused. */
  readonly error?: CommandError;
}

/** Why a command was refused. */
export interface CommandError {
  /** `no such element`. */
  readonly code: string;
  /** Masked, without a stack trace. */
  readonly message: string;
}

/** Consecutive commands of one session, stored together: one row a second instead of one a command. */
export interface LogChunk {
  readonly sessionId: string;
  /** Of its first command. */
  readonly seq: number;
  readonly rows: number;
  readonly bytes: number;
  /** When its last command arrived. */
  readonly lastAt: number;
  /** JSON array of `StoredCommand`. */
  readonly entries: string;
}

export type ChunkHead = Pick<LogChunk, 'seq' | 'rows' | 'bytes'>;

/** Where the log is kept. Synchronous; throws `Unavailable` when it cannot answer. */
export interface CommandLogStore {
  /** All of it or nothing. `trimmed`: chunks of a session before `seq` go. */
  write(chunks: readonly LogChunk[], trimmed: readonly { sessionId: string; seq: number }[]): void;
  /** Oldest first. */
  heads(sessionId: string): ChunkHead[];
  /** Oldest first. */
  chunks(sessionId: string): LogChunk[];
  /** Chunks whose last command came before, the oldest first, `most` at once; answers how many. */
  removeBefore(at: number, most: number): number;
}

/** What the log keeps at most. */
export const LOG_BOUNDS = {
  rowsOfSession: 2_000,
  bytesOfSession: 4 * 1024 * 1024,
  /** Of a body, and of a response. */
  bytesOfPart: 4 * 1024,
  /** A body or response above this is not parsed. */
  bytesSeen: 64 * 1024,
} as const;
