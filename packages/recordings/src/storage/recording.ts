import type { PictureType } from '@svc/contract';

export type MarkKind = 'failure' | 'evidence' | 'paused' | 'resumed';

/** A marked moment of a recording, such as a failure. Times are ms since 1970. */
export interface Mark {
  readonly at: number;
  readonly kind: MarkKind;
  readonly label?: string;
}

/** Which recordings are stored after the end of their session: those of failed sessions (`failures`), or all. */
export type KeptMode = 'failures' | 'all';

export interface StoredPicture {
  readonly at: number;
  /** Offset at which the bytes of the picture begin in the file of its chunk. */
  readonly offset: number;
  readonly bytes: number;
  readonly type: PictureType;
}

/** Consecutive pictures of a recording that are stored in one file. */
export interface Chunk {
  readonly index: number;
  readonly pictures: StoredPicture[];
}

export interface LogRow {
  /** Number of the row in its session, beginning with 1. */
  readonly seq: number;
  readonly at: number;
  readonly line: string;
}

/** Consecutive rows of the device log that are stored in one file. */
export interface LogFile {
  readonly index: number;
  /** `seq` of the first row in the file. */
  first: number;
  rows: number;
}

/** Index of a recording. It contains only what has already been written to the files, so readers can rely on it. */
export interface RecordingIndex {
  readonly session: string;
  readonly mode: KeptMode;
  readonly startedAt: number;
  /** Time at which the recording ended, or null while the session is recorded. */
  endedAt: number | null;
  readonly marks: Mark[];
  readonly chunks: Chunk[];
  readonly logFiles: LogFile[];
}

/** Maximum number of rows of the device log that one recording contains (specification 8.2). */
export const MOST_LOG_ROWS = 12_000;

export function emptyIndex(session: string, mode: KeptMode, startedAt: number): RecordingIndex {
  return { session, mode, startedAt, endedAt: null, marks: [], chunks: [], logFiles: [] };
}

export function pictureCount({ chunks }: Pick<RecordingIndex, 'chunks'>): number {
  return chunks.reduce((sum, { pictures }) => sum + pictures.length, 0);
}

/** @returns the number of bytes of all pictures of a recording */
export function pictureBytes({ chunks }: Pick<RecordingIndex, 'chunks'>): number {
  return chunks.reduce((sum, chunk) => sum + chunkBytes(chunk), 0);
}

export function chunkBytes({ pictures }: Chunk): number {
  return pictures.reduce((sum, { bytes }) => sum + bytes, 0);
}

/**
 * @returns the `seq` of the oldest and the newest of the last `MOST_LOG_ROWS` rows. The files may still contain older
 * rows, but readers do not get them.
 */
export function logRange({ logFiles }: Pick<RecordingIndex, 'logFiles'>): { first: number; last: number } {
  const oldest = logFiles[0];
  const newest = logFiles.at(-1);
  if (oldest === undefined || newest === undefined) return { first: 1, last: 0 };
  const last = newest.first + newest.rows - 1;
  return { first: Math.max(oldest.first, last - MOST_LOG_ROWS + 1), last };
}

export function logRows(index: Pick<RecordingIndex, 'logFiles'>): number {
  const { first, last } = logRange(index);
  return last - first + 1;
}

/**
 * Finds the picture that the phone showed at a moment. Between the marks `paused` and `resumed` there is none.
 * @returns the picture with its chunk, or undefined if there is none
 */
export function pictureAt(
  { chunks, marks }: Pick<RecordingIndex, 'chunks' | 'marks'>,
  at: number,
): { readonly chunk: Chunk; readonly picture: StoredPicture } | undefined {
  if (isPausedAt(marks, at)) return undefined;
  const chunk = chunks.findLast(({ pictures: [first] }) => first !== undefined && first.at <= at);
  if (chunk === undefined) return undefined;
  const picture = chunk.pictures[lastIndexUntil(chunk.pictures, at)];
  return picture === undefined ? undefined : { chunk, picture };
}

function isPausedAt(marks: readonly Mark[], at: number): boolean {
  const last = marks.findLast((mark) => mark.at <= at && (mark.kind === 'paused' || mark.kind === 'resumed'));
  return last?.kind === 'paused';
}

/**
 * @returns the index of the last picture that is not later than `at`, by binary search, or -1 if all pictures are later
 */
function lastIndexUntil(pictures: readonly StoredPicture[], at: number): number {
  let low = 0;
  let high = pictures.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((pictures[middle] as StoredPicture).at <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
