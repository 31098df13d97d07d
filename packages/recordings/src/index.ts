export { type PictureType, pictureTypeOf } from './format.ts';
export { type Kept, LiveRecording } from './live-recording.ts';
export {
  chunkBytes,
  type KeptMode,
  type LogRow,
  logRows,
  type Mark,
  type MarkKind,
  pictureBytes,
  pictureCount,
  type RecordingIndex,
} from './recording.ts';
export { RecordingStore } from './store.ts';
export type {
  FoundPicture,
  RecordingCounts,
  RecordingFailure,
  RemovedRecording,
  StoredRecording,
} from './stored.ts';
