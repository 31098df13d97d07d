export { deviceStreams } from './device-streams.ts';
export { EventConnections } from './event-connections.ts';
export { MJPEG_TYPE, MjpegViewer } from './mjpeg-viewer.ts';
export { nodeStreams } from './node-streams.ts';
export { AdbUsers } from './remote-adb/adb-users.ts';
export { nodeAdb } from './remote-adb/node-adb.ts';
export { RemoteAdb } from './remote-adb/remote-adb.ts';
export { lineViewer, relayVideo } from './socket-viewers.ts';
export {
  type Spectator,
  type SpectatorAudience,
  Spectators,
} from './spectators.ts';
export { type AdmittedViewer, Streams } from './streams.ts';
