import type { PictureType } from '@svc/contract';
import type { DropCounts } from './live-recording.ts';
import type { KeptMode, LogRow, RecordingIndex } from './recording.ts';

export interface RecordingCounts {
  /** Number of pictures that were accepted for storage since this server started; `bytes` is their total size. */
  pictures: number;
  bytes: number;
  readonly dropped: DropCounts;
}

export interface RecordingFailure {
  readonly session: string;
  readonly error: unknown;
}

export interface StoreOptions {
  /** Path of the folder `recordings/` in the data folder. */
  readonly root: string;
  readonly now: () => number;
  /**
   * Maximum bytes of the pictures of one recording. Pictures of failures and evidence are stored even beyond this
   * limit.
   */
  readonly recordingBytes: number;
  /** Maximum bytes of all recordings on the disk. If they exceed it, the oldest recordings are removed. */
  readonly allBytes: number;
  /** Returns whether to keep a recording that a crash interrupted. If not, it is deleted. */
  readonly isKept: (session: string, mode: KeptMode) => boolean;
  /** Called when writing a recording fails. The recording then ends. */
  readonly failed: (failure: RecordingFailure) => void;
  /** Called when recordings cannot be completed or removed. The next start of the server tries again. */
  readonly warned: (what: string, error: unknown) => void;
}

export interface FoundPicture {
  readonly at: number;
  readonly type: PictureType;
  readonly bytes: Buffer;
}

/** A stored recording, with methods that read its pictures and rows. */
export interface StoredRecording {
  readonly index: RecordingIndex;
  readonly isRunning: boolean;
  chunk(index: number): AsyncGenerator<FoundPicture> | undefined;
  pictureAt(at: number): Promise<FoundPicture | undefined>;
  rows(after: number, limit: number): Promise<LogRow[]>;
}

/** Facts about a recording that existed and was removed. */
export interface RemovedRecording {
  readonly session: string;
  readonly startedAt: number;
  readonly endedAt: number;
}
