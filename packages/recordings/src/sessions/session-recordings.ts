import { type Audit, actorOf, type Caller, type Clock, Refusal } from '@svc/auth-core';
import type { DeviceLab, DriverSession, SessionDirectory, SessionView } from '@svc/device-lab';
import type { LabNode, NodeClient } from '@svc/nodes';
import { NodeRecording } from './node-recording.ts';
import { OwnRecording } from './own-recording.ts';
import type { Recorder } from './recorder.ts';
import type { RecordingSource } from './recording-source.ts';
import type { Recordings } from './recordings.ts';

interface Tools {
  readonly lab: Pick<DeviceLab, 'sessions'>;
  readonly sessions: Pick<SessionDirectory, 'byId'>;
  readonly recordings: Recordings;
  readonly recorder: Recorder;
  /**
   * @returns the node that the session ran on, or undefined if this server records the session or if the node is no
   * longer registered
   */
  readonly nodeOf: (session: DriverSession) => LabNode | undefined;
  readonly nodeClient: Pick<NodeClient, 'askAboutSession'>;
  readonly audit: Pick<Audit, 'recordBestEffort'>;
  readonly clock: Clock;
}

/** Minimum time between two audit rows for the same viewer and session (ms). */
const AUDIT_EVERY_MS = 60 * 60 * 1000;
const MOST_REMEMBERED = 10_000;

/** Viewer of a recording: a caller of this server, or the hub if this server is its node. */
export type Viewer = Caller | 'hub';

/** Gives access to the recordings of those sessions that the viewer may see (contract 11). */
export class SessionRecordings {
  readonly #tools: Tools;
  /** Time (ms since 1970) of the last audited view, by `<account id> <session id>`. The oldest entry is first. */
  readonly #viewed = new Map<string, number>();

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /**
   * Returns a session. Throws `not_found` if the session is unknown or hidden from the viewer, so that both cases look
   * the same.
   */
  session(viewer: Viewer, id: string): SessionView {
    if (viewer !== 'hub') return this.#tools.sessions.byId(viewer, id);
    const session = this.#tools.lab.sessions.byId(id);
    if (session === undefined) throw new Refusal('not_found', 'unknown session');
    return { session, owner: null };
  }

  /** Returns the recording of a session. Throws `not_found` if the session is unknown or hidden from the viewer. */
  of(viewer: Viewer, id: string): RecordingSource {
    return this.source(this.session(viewer, id).session);
  }

  source(session: DriverSession): RecordingSource {
    const { nodeOf, nodeClient, recordings, recorder } = this.#tools;
    const node = nodeOf(session);
    if (node === undefined) return new OwnRecording(session.id, recordings, recorder);
    return new NodeRecording(nodeClient, { node, sessionId: session.id, ownerId: session.ownerId });
  }

  /**
   * Deletes the recording of a session and records the deletion in the audit trail. Has no effect if there is no
   * recording.
   */
  async remove(viewer: Viewer, id: string): Promise<void> {
    const recording = this.of(viewer, id);
    const { state } = await recording.view();
    if (state === 'none' || state === 'removed') return;
    await recording.remove();
    // For a deletion through the hub, the hub writes the audit row.
    if (viewer !== 'hub')
      this.#tools.audit.recordBestEffort('recording_deleted', { ...actorOf(viewer), target: id });
  }

  /**
   * Writes an audit row about a view of a recording, at most one an hour for the same viewer and session. Views by the
   * owner of the session are not audited. For views through the hub, the hub writes the audit row.
   */
  viewed(viewer: Viewer, id: string): void {
    if (viewer === 'hub') return;
    const { audit, clock, lab } = this.#tools;
    if (lab.sessions.byId(id)?.ownerId === viewer.account.id) return;
    const key = `${viewer.account.id} ${id}`;
    const now = clock.now();
    const before = this.#viewed.get(key);
    if (before !== undefined && Math.abs(now - before) < AUDIT_EVERY_MS) return;
    this.#viewed.delete(key);
    this.#viewed.set(key, now);
    const [oldest] = this.#viewed.keys();
    if (this.#viewed.size > MOST_REMEMBERED && oldest !== undefined) this.#viewed.delete(oldest);
    audit.recordBestEffort('recording_viewed', { ...actorOf(viewer), target: id });
  }
}
