export { REPORT_POLICY } from './html.ts';
export { NodeRecorder } from './node-recorder.ts';
export { Recorder } from './recorder.ts';
export { wishForNode } from './recording-mode.ts';
export {
  type DeviceLogPage,
  NO_RECORDING,
  type RecordingSource,
  type RecordingView,
} from './recording-source.ts';
export { Recordings } from './recordings.ts';
export { report } from './report.ts';
export { SessionRecordings, type Viewer } from './session-recordings.ts';
