import type { Readable } from 'node:stream';
import type { routes, SuccessOf } from '@svc/contract';
import type { PictureType } from '@svc/recordings';

export type RecordingView = SuccessOf<typeof routes.recording>;
export type DeviceLogPage = SuccessOf<typeof routes.deviceLog>;

export interface Picture {
  readonly type: PictureType;
  readonly bytes: Buffer;
}

/** What a session showed, wherever it is stored. Throws `Unavailable` if the server that stores it does not respond. */
export interface RecordingSource {
  view(): Promise<RecordingView>;
  /** Pictures with a line before each, as they go over the wire; null if there is no such chunk. */
  chunk(index: string): Promise<Readable | null>;
  /** `at`: ISO 8601. */
  picture(at: string): Promise<Picture | null>;
  rows(after: number, limit: number): Promise<DeviceLogPage>;
  /** Throws `session_running` while it records. */
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
