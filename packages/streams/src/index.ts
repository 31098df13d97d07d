export { deviceStreams } from './device-streams.ts';
export { EventConnections } from './event-connections.ts';
export { MJPEG_TYPE, MjpegViewer } from './mjpeg-viewer.ts';
export { nodeStreams } from './node-streams.ts';
export { lineViewer, relayVideo } from './socket-viewers.ts';
export { type AdmittedViewer, Streams } from './streams.ts';
