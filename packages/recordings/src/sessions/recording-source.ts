import type { Readable } from 'node:stream';
import type { PictureType, routes, SuccessOf } from '@svc/contract';

export type RecordingView = SuccessOf<typeof routes.recording>;
export type DeviceLogPage = SuccessOf<typeof routes.deviceLog>;

export interface Picture {
  readonly type: PictureType;
  readonly bytes: Buffer;
}

/**
 * Reads the recording of a session from the server that stores it. Throws `Unavailable` if that server does not
 * respond.
 */
export interface RecordingSource {
  view(): Promise<RecordingView>;
  /**
   * Returns the pictures of a chunk (one file with consecutive pictures), or null if there is no such chunk. Before
   * each picture, the stream contains a line that describes it.
   */
  chunk(index: string): Promise<Readable | null>;
  /** Returns the picture at the time `at` (ISO 8601), or null if there is none. */
  picture(at: string): Promise<Picture | null>;
  rows(after: number, limit: number): Promise<DeviceLogPage>;
  /** Removes the recording. Throws `session_running` while the session is being recorded. */
  remove(): Promise<void>;
}

export const NO_RECORDING: RecordingView = {
  state: 'none',
  startedAt: null,
  endedAt: null,
  bytes: 0,
  pictures: 0,
  chunks: [],
  marks: [],
  deviceLogRows: 0,
};
