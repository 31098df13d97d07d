import type { DropCounts } from './live-recording.ts';
import type { FoundPicture } from './read.ts';
import type { KeptMode, LogRow, RecordingIndex } from './recording.ts';

export interface RecordingCounts {
  /** Pictures and their bytes that were taken to be stored. */
  pictures: number;
  bytes: number;
  readonly dropped: DropCounts;
}

export interface RecordingFailure {
  readonly session: string;
  readonly error: unknown;
}

export interface StoreOptions {
  /** `recordings/` in the data folder. */
  readonly root: string;
  readonly now: () => number;
  /** Maximum bytes of the pictures of one recording, besides failures and evidence. */
  readonly recordingBytes: number;
  /** Maximum bytes of all recordings on the disk; the oldest are removed beyond it. */
  readonly allBytes: number;
  /** Whether a recording that was interrupted is kept. */
  readonly isKept: (session: string, mode: KeptMode) => boolean;
  /** The disk takes no more of a recording. */
  readonly failed: (failure: RecordingFailure) => void;
  /** A recording could not be tidied up; it is tried again at the next start. */
  readonly warned: (what: string, error: unknown) => void;
}

/** A recording that can be read. */
export interface StoredRecording {
  readonly index: RecordingIndex;
  readonly isRunning: boolean;
  chunk(index: number): AsyncGenerator<FoundPicture> | undefined;
  pictureAt(at: number): Promise<FoundPicture | undefined>;
  rows(after: number, limit: number): Promise<LogRow[]>;
}

/** A recording that was there and is not any more. */
export interface RemovedRecording {
  readonly session: string;
  readonly startedAt: number;
  readonly endedAt: number;
}
