// Recordings of sessions: what they showed, kept for as long as an administrator decides.
//
// `storage/` has the files: format, bounds, recovery after a crash. It knows nothing of the lab and is loaded with the first
// recording, so no static import may reach it. `sessions/` decides which sessions are recorded, follows their phones, and
// finds a recording here or on the node that has it. `report/` renders the page of one session.
//
// Not here: the pictures and log lines of a phone that is not recorded (previews).

export { openRecordings, type RecordingsOffers } from './open.ts';
export { optionsForNode } from './sessions/recording-mode.ts';
