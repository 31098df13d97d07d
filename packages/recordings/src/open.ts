import type { Audit, Clock, Log } from '@svc/auth-core';
import type { DeviceLab, DriverSession, SessionDirectory } from '@svc/device-lab';
import { byField, counter, gauge, type Module, single } from '@svc/module';
import type { HubSide, LabNode } from '@svc/nodes';
import type { Previews } from '@svc/previews';
import type { Config, Settings } from '@svc/settings';
import { recordingHandlers } from './handlers.ts';
import { NodeRecorder } from './sessions/node-recorder.ts';
import { Recorder } from './sessions/recorder.ts';
import { Recordings } from './sessions/recordings.ts';
import { SessionRecordings } from './sessions/session-recordings.ts';

interface Needs {
  readonly config: Pick<Config, 'recording' | 'publicUrl'>;
  /** Path of the folder in which the recordings are stored. */
  readonly folder: string;
  /** Version of this server, which reports name. */
  readonly version: string;
  readonly lab: DeviceLab;
  readonly previews: Previews;
  readonly sessions: SessionDirectory;
  readonly hub: Pick<HubSide, 'nodes' | 'nodeClient'>;
  /** Name of the grid behind this server, or null if there is none. */
  readonly grid: string | null;
  readonly settings: Settings;
  readonly audit: Audit;
  readonly clock: Clock;
  readonly log: Log;
}

export interface RecordingsOffers {
  readonly recorder: Recorder;
  readonly sessionRecordings: SessionRecordings;
}

/**
 * Opens the screen recordings of sessions (contract 11). Every session that starts afterwards is recorded if the
 * settings require it.
 */
export function openRecordings(needs: Needs): Module<RecordingsOffers> {
  const { config, folder, version, lab, previews, sessions, grid, settings, audit, clock, log } = needs;
  const { nodes, nodeClient } = needs.hub;
  const recordings = new Recordings({ folder, config: config.recording, sessions: lab.sessions, clock, log });
  const nodeOf = ({ node }: DriverSession): LabNode | undefined =>
    node === null ? undefined : nodes.byName(node);
  const elsewhere = new NodeRecorder({
    nodeOf: (id) => nodes.sessions.get(id)?.node,
    client: () => nodeClient,
    sessions: lab.sessions,
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
  const { publicUrl } = config;
  return {
    offers: { recorder, sessionRecordings },
    handlers: recordingHandlers({ sessionRecordings, sessions, lab, publicUrl, version }),
    schedules: [{ start: () => void recordings.start(), stop: () => undefined }],
    metrics: metricsOf(recordings),
    close: () => recordings.close(),
  };
}

function metricsOf(recordings: Recordings) {
  return [
    gauge('svc_recordings_bytes', 'Size of all recordings on disk', () => single(recordings.usedBytes)),
    counter('svc_recording_pictures_total', 'Pictures that were recorded', () =>
      single(recordings.counts.pictures),
    ),
    counter('svc_recording_bytes_total', 'Bytes of the pictures that were recorded', () =>
      single(recordings.counts.bytes),
    ),
    counter('svc_recording_dropped_total', 'Pictures and log rows that were not recorded, by reason', () => {
      const { recording, total, disk, lines } = recordings.counts.dropped;
      return byField('reason', {
        'recording full': recording,
        'all recordings full': total,
        'slow disk': disk,
        'too many log rows': lines,
      });
    }),
  ];
}
