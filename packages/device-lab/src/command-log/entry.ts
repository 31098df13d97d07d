/** A WebDriver command as observed, not masked yet. Only the log reads it, after the client has its response. */
export interface ObservedCommand {
  readonly sessionId: string;
  /** Account id, or null if the session has no owner. */
  readonly ownerId: string | null;
  /** When it arrived, ms since 1970. */
  readonly at: number;
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  /** Most bytes that it holds in memory. */
  readonly size: number;
  /** Parsed JSON, or undefined if there was no body. */
  readonly body: unknown;
  /** @returns undefined if there was no response, `TooLarge` if it is larger than what is kept */
  response(): string | TooLarge | undefined;
  /** Drops body and response. */
  shed(): void;
}

/** Stands for a body that is too large to be kept. */
export class TooLarge {
  readonly bytes: number;

  constructor(bytes: number) {
    this.bytes = bytes;
  }
}

/** A command as the log keeps and shows it: bounded, secrets masked (contract 2, `/session/:id/session_log`). */
export interface LoggedCommand {
  /** Number of the command in its session, from 1 and without gaps. The oldest commands may have been removed. */
  readonly seq: number;
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  /** JSON value, a text if it had to be cut, or null if there was none. */
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

/** Consecutive commands of one session, stored together, so that a row is written per second and not per command. */
export interface LogChunk {
  readonly sessionId: string;
  /** Number of the first command. */
  readonly seq: number;
  readonly rows: number;
  readonly bytes: number;
  /** Time at which the last command arrived. */
  readonly lastAt: number;
  /** JSON array of `StoredCommand`. */
  readonly entries: string;
}

export type ChunkHead = Pick<LogChunk, 'seq' | 'rows' | 'bytes'>;

/** Stores the log. Synchronous. Throws `Unavailable` if it cannot be read or written. */
export interface CommandLogStore {
  /** Writes all chunks or none. For each entry of `trimmed`, the chunks of that session before `seq` are removed. */
  write(chunks: readonly LogChunk[], trimmed: readonly { sessionId: string; seq: number }[]): void;
  /** Oldest first. */
  heads(sessionId: string): ChunkHead[];
  /** Oldest first. */
  chunks(sessionId: string): LogChunk[];
  /**
   * Removes at most `most` chunks whose last command arrived before `at`, oldest first.
   * @returns how many were removed
   */
  removeBefore(at: number, most: number): number;
}

/** Limits of what the log keeps. */
export const LOG_BOUNDS = {
  rowsOfSession: 2_000,
  bytesOfSession: 4 * 1024 * 1024,
  /** Applies to each body and each response. */
  bytesOfPart: 4 * 1024,
  /** A body or response above this is not parsed. */
  bytesSeen: 64 * 1024,
} as const;
