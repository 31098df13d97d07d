import { recordingFolder } from '@svc/data-folder';
import type { DeviceLab, DriverSession, SessionDirectory } from '@svc/device-lab';
import type { HubSide, LabNode } from '@svc/nodes';
import type { Previews } from '@svc/previews';
import { NodeRecorder, Recorder, Recordings, SessionRecordings } from '@svc/recordings';
import type { CoreServices } from './core.ts';

interface RecordingTools {
  readonly lab: DeviceLab;
  readonly previews: Previews;
  readonly sessions: SessionDirectory;
  readonly hubSide: Pick<HubSide, 'nodes' | 'nodeClient'>;
  /** Name of the grid behind this server, or null if there is none. */
  readonly grid: string | null;
}

/** Services for screen recordings of sessions (contract 11). */
export interface RecordingServices {
  readonly recordings: Recordings;
  readonly recorder: Recorder;
  readonly sessionRecordings: SessionRecordings;
}

/**
 * Opens the services for screen recordings. Every session that starts afterwards is recorded if the settings require
 * it.
 */
export function openRecordings(
  { config, log, clock, audit, settings }: CoreServices,
  { lab, previews, sessions, hubSide: { nodes, nodeClient }, grid }: RecordingTools,
): RecordingServices {
  const { sessions: known } = lab;
  const folder = recordingFolder(config.dataDir);
  const recordings = new Recordings({ folder, config: config.recording, sessions: known, clock, log });
  const nodeOf = ({ node }: DriverSession): LabNode | undefined =>
    node === null ? undefined : nodes.byName(node);
  const elsewhere = new NodeRecorder({
    nodeOf: (id) => nodes.sessions.get(id)?.node,
    client: () => nodeClient,
    sessions: known,
  });
  const recorder = new Recorder({
    lab,
    previews,
    recordings,
    setting: () => settings.current().recording,
    // The servers of a grid do not run svc and cannot record, so this server records the sessions of its grid.
    isElsewhere: ({ node }) => node !== null && node !== grid,
    elsewhere,
    log,
  });
  const sessionRecordings = new SessionRecordings({
    ...{ lab, sessions, recordings, recorder, nodeOf, nodeClient, audit, clock },
  });
  return { recordings, recorder, sessionRecordings };
}
