// What phones show: their screens as pictures or video, and their logs.
//
// `formats/` recognizes and splits pictures and video. `relays/` send what one source produces to all viewers of a phone.
// `phones/` are the sources of this host's own phones, and `upstreams/` those of other servers: a camera, a driver, a node.
// `viewers/` decides who may view, at the start and for as long as the stream is open, and has the links for spectators.
// `remote-adb/` lets the holder of a phone use its adb server or usbmuxd from their own machine.
//
// Not here: which phones exist and who holds them (device-lab), and what a session showed in the past (recordings).

export { openPreviews, type PreviewsOffers } from './open.ts';
export { adbLines } from './phones/adb-lines.ts';
export { AdbScreens } from './phones/adb-screens.ts';
export { LINE_BOUNDS, shownLine } from './relays/line-relay.ts';
export { Previews } from './relays/previews.ts';
export { MJPEG_TYPE, MjpegViewer } from './viewers/mjpeg-viewer.ts';
export { lineViewer, relayVideo } from './viewers/socket-viewers.ts';
export type { AdmittedViewer } from './viewers/streams.ts';
