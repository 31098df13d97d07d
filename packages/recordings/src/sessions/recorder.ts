import type { Log } from '@svc/auth-core';
import type { RecordingMode } from '@svc/contract';
import {
  type DeviceLab,
  type DriverSession,
  NO_RECORDING_OPTIONS,
  type Recorded,
  type RecordingOptions,
  type SessionRecorder,
} from '@svc/device-lab';
import type { Previews } from '@svc/previews';
import type { Kept, LiveRecording } from '../storage/live-recording.ts';
import type { KeptMode } from '../storage/recording.ts';
import { followDevice } from './followed-device.ts';
import { hasFailed, recordingMode } from './recording-mode.ts';
import type { Recordings } from './recordings.ts';

interface RecorderOptions {
  readonly lab: DeviceLab;
  readonly previews: Previews;
  readonly recordings: Recordings;
  /** Returns the current recording setting. Throws `Unavailable` if the database cannot be read. */
  readonly setting: () => RecordingMode;
  /** Returns whether another svc server runs the session and therefore records it. */
  readonly isElsewhere: (session: DriverSession) => boolean;
  /** Forwards commands about a recording, such as pause, to the other server that records the session. */
  readonly elsewhere: SessionRecorder;
  readonly log: Log;
}

interface Recording {
  readonly mode: KeptMode;
  readonly opened: Promise<LiveRecording>;
  stop: () => void;
  hasFailed: boolean;
}

/** Records the sessions of this server while they run (contract 11). */
export class Recorder implements SessionRecorder {
  readonly #options: RecorderOptions;
  readonly #running = new Map<string, Recording>();
  /** Takes a screenshot through the driver of the session with the given id. Null until `takeScreenshots` sets it. */
  #screenshot: ((id: string) => Promise<Uint8Array | null>) | null = null;

  constructor(options: RecorderOptions) {
    this.#options = options;
    const { lab, recordings } = options;
    lab.recorder = this;
    lab.onStart((session, { recording = NO_RECORDING_OPTIONS }) => this.#begin(session, recording));
    lab.onEnd((session) => this.#end(session));
    recordings.onFailure(({ session, error }) => this.#failed(session, error));
  }

  /** Sets the function that takes screenshots for the recordings of phones without a preview. */
  takeScreenshots(via: (id: string) => Promise<Uint8Array | null>): void {
    this.#screenshot = via;
  }

  captureEvidence(id: string, label: string | null): Promise<Recorded> | undefined {
    return this.#on(id, (live) => live.evidence(label)) ?? this.#options.elsewhere.captureEvidence(id, label);
  }

  pause(id: string): Promise<Recorded> | undefined {
    return this.#on(id, (live) => live.pause()) ?? this.#asked(this.#options.elsewhere.pause(id));
  }

  resume(id: string): Promise<Recorded> | undefined {
    return this.#on(id, (live) => live.resume()) ?? this.#asked(this.#options.elsewhere.resume(id));
  }

  statusSet(id: string, status: 'passed' | 'failed', reason: string | null): Promise<unknown> | undefined {
    const { elsewhere } = this.#options;
    if (!this.#running.has(id)) return elsewhere.statusSet(id, status, reason);
    return status === 'failed' ? this.#on(id, (live) => live.failure(reason)) : undefined;
  }

  /** Resolves when the recording of this session is open for reading, or immediately if the session is not recorded. */
  async opened(id: string): Promise<void> {
    await this.#running.get(id)?.opened.catch(() => undefined);
  }

  #asked(answer: Recorded | Promise<Recorded> | undefined): Promise<Recorded> | undefined {
    return answer === undefined ? undefined : Promise.resolve(answer);
  }

  #on(id: string, act: (live: LiveRecording) => Kept | Promise<Kept>): Promise<Recorded> | undefined {
    const recording = this.#running.get(id);
    return recording?.opened.then(act).then(
      (outcome) => (outcome.kept ? { recorded: true } : { recorded: false, message: outcome.why }),
      () => ({ recorded: false, message: 'the recording could not be opened' }),
    );
  }

  /** Starts the recording of a session. Must not throw, because the session has to run even if its recording fails. */
  #begin(session: DriverSession, options: RecordingOptions): void {
    const { isElsewhere, setting, log } = this.#options;
    if (isElsewhere(session)) return;
    try {
      const mode = recordingMode(setting(), options);
      if (mode !== 'off') this.#record(session, mode, options.saveDeviceLogs);
    } catch (error) {
      log.error('A session is not recorded', { session: session.id, cause: String(error) });
    }
  }

  #record({ id, device }: DriverSession, mode: KeptMode, withLines: boolean): void {
    const { lab, previews, recordings, log } = this.#options;
    const opened = recordings.store().then((store) => {
      const live = store.begin(id, mode, async () => (await this.#screenshot?.(id)) ?? null);
      if (device !== null && this.#running.has(id))
        recording.stop = followDevice(live, { lab, previews, udid: device.udid, withLines });
      return live;
    });
    const recording: Recording = { mode, opened, stop: () => undefined, hasFailed: false };
    this.#running.set(id, recording);
    opened.catch((error: unknown) =>
      log.error('A session is not recorded', { session: id, cause: String(error) }),
    );
  }

  #end(session: DriverSession): void {
    const recording = this.#running.get(session.id);
    if (recording === undefined) {
      this.#endedAfterRestart(session);
      return;
    }
    this.#running.delete(session.id);
    recording.stop();
    const { failureCategory } = session;
    const isKept = recording.mode === 'all' || hasFailed(session);
    const { recordings } = this.#options;
    const ending = recording.opened.then(async (live) => {
      recording.stop();
      if (failureCategory !== null) live.failedAtEnd(failureCategory);
      const store = await recordings.store();
      if (!recording.hasFailed) await store.finish(live, isKept);
      else if (!isKept) await store.drop(session.id);
    });
    recordings.ending(session.id, ending);
  }

  /**
   * Handles the end of a session that this server does not record now. If the session ran on a grid, this server may
   * have recorded its beginning before a restart of this server. Deletes that recording if the session has not failed
   * and the recording was to be kept only after a failure.
   */
  #endedAfterRestart(session: DriverSession): void {
    const { recordings, isElsewhere } = this.#options;
    if (!recordings.exist || session.node === null || isElsewhere(session) || hasFailed(session)) return;
    recordings.ending(
      session.id,
      recordings.store().then((store) => store.dropUnneeded(session.id)),
    );
  }

  /**
   * Handles a failed write of a recording: logs it, publishes an event, and stops the recording. The session continues
   * (contract 11).
   */
  #failed(id: string, error: unknown): void {
    const { log, lab, recordings } = this.#options;
    log.error('The recording of a session has stopped, because it cannot be written', {
      session: id,
      cause: String(error),
    });
    const ownerId = lab.sessions.byId(id)?.ownerId ?? null;
    lab.events.publish({
      type: 'recording_stopped',
      payload: { id, reason: 'the recording cannot be written' },
      audience: { kind: 'session', ownerId },
    });
    const recording = this.#running.get(id);
    if (recording === undefined) return;
    recording.hasFailed = true;
    recording.stop();
    const stopping = Promise.all([recordings.store(), recording.opened]).then(([store, live]) =>
      store.finish(live, true),
    );
    recordings.ending(id, stopping);
  }
}
