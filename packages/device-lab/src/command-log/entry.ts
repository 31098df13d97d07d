/**
 * A WebDriver command that this server forwarded, with secrets not masked yet. Only the command log reads the bodies,
 * after the client has its response.
 */
export interface ObservedCommand {
  readonly sessionId: string;
  /** Id of the account that owns the session, or null if the session has no owner. */
  readonly ownerId: string | null;
  /** Time at which the command arrived, in ms since 1970. */
  readonly at: number;
  readonly method: string;
  /** `attach` if the command was sent to an attach address (contract 15.4), otherwise null or absent. */
  readonly via?: 'attach' | null;
  /** Path of the request without the query. */
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  /** Maximum number of bytes that the command occupies in memory. */
  readonly size: number;
  /** Body of the request as parsed JSON, or undefined if there was none. */
  readonly body: unknown;
  /** @returns the text of the response, undefined if there was none, or `TooLarge` if it exceeds the limit */
  response(): string | TooLarge | undefined;
  /** Drops the body and the response, to free memory. */
  shed(): void;
}

/** Placeholder for a body or response that is too large to be stored. */
export class TooLarge {
  readonly bytes: number;

  constructor(bytes: number) {
    this.bytes = bytes;
  }
}

/** A command of the log, with its size limited and its secrets masked (contract 2, `/session/:id/session_log`). */
export interface LoggedCommand {
  /**
   * Number of the command in its session, from 1 and without gaps. The log does not begin with 1 if the oldest commands
   * have been removed.
   */
  readonly seq: number;
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  /** Body as a JSON value, as a text if it had to be cut, or null if there was none. */
  readonly body: unknown;
  readonly response: unknown;
  /** Name of the command, such as `findElement`, `svc: setSessionStatus` or `mobile: tap` (contract 11). */
  readonly name: string;
  /**
   * One masked line that names the object of the command, such as `xpath //login`. Empty if there is nothing to name.
   */
  readonly summary: string;
  /** `attach` if the command was sent to an attach address (contract 15.4). Absent for every other command. */
  readonly via?: 'attach';
  /** Error of the command. Absent if the command succeeded. */
  readonly error?: CommandError;
}

/** Error with which the driver or this server refused a command. */
export interface CommandError {
  /** WebDriver error code, such as `no such element`. */
  readonly code: string;
  /** Error message, with secrets masked and without a stack trace. */
  readonly message: string;
}

/**
 * Consecutive commands of one session that are stored together, so that the log writes one row per second and not one
 * per command.
 */
export interface LogChunk {
  readonly sessionId: string;
  /** Number of the first command in the chunk. */
  readonly seq: number;
  readonly rows: number;
  readonly bytes: number;
  /** Time at which the last command of the chunk arrived, in ms since 1970. */
  readonly lastAt: number;
  /** JSON text of an array of `StoredCommand`. */
  readonly entries: string;
}

export type ChunkHead = Pick<LogChunk, 'seq' | 'rows' | 'bytes'>;

/**
 * Stores the command log. The methods are synchronous, because the database is SQLite in the same process. Every method
 * throws `Unavailable` if the database cannot be read or written.
 */
export interface CommandLogStore {
  /**
   * Writes chunks, either all or none. For each entry of `trimmed`, the chunks of that session before `seq` are
   * removed.
   */
  write(chunks: readonly LogChunk[], trimmed: readonly { sessionId: string; seq: number }[]): void;
  /** Returns numbers and sizes of a session's chunks, oldest first. */
  heads(sessionId: string): ChunkHead[];
  /** Returns the text of the chunk that begins with the command `seq`, or undefined if it has been removed. */
  entriesAt(sessionId: string, seq: number): string | undefined;
  /**
   * Removes at most `most` chunks whose last command arrived before `at`, oldest first.
   * @returns the number of removed chunks
   */
  removeBefore(at: number, most: number): number;
}

/** Size limits of the command log. */
export const LOG_BOUNDS = {
  rowsOfSession: 2_000,
  bytesOfSession: 4 * 1024 * 1024,
  /** Maximum length of each body and of each response, after masking. */
  bytesOfPart: 4 * 1024,
  /** Maximum size of a body or response that is parsed. For a larger one, the log contains only a note about its size. */
  bytesSeen: 64 * 1024,
} as const;
