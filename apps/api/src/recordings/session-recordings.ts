import { type Audit, actorOf, type Caller, type Clock, Refusal } from '@svc/auth-core';
import type { DeviceLab, DriverSession, LabNode, SessionDirectory, SessionView } from '@svc/device-lab';
import type { NodeClient } from '@svc/webdriver-gate';
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
  /** @returns the node that the session ran on, or undefined if this server records it or no longer knows the node */
  readonly nodeOf: (session: DriverSession) => LabNode | undefined;
  readonly nodeClient: Pick<NodeClient, 'askAboutSession'>;
  readonly audit: Pick<Audit, 'recordBestEffort'>;
  readonly clock: Clock;
}

/** One row for a person and a session in this time. */
const AUDIT_EVERY_MS = 60 * 60 * 1000;
const MOST_REMEMBERED = 10_000;

/** Who asks: a caller, or the hub of this node. */
export type Viewer = Caller | 'hub';

/** What sessions showed, for those who see them (contract 11). */
export class SessionRecordings {
  readonly #tools: Tools;
  /** When a person last looked at another's recording, oldest first. */
  readonly #viewed = new Map<string, number>();

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /** Throws `not_found` for a session that is hidden from the caller as for an unknown one. */
  session(viewer: Viewer, id: string): SessionView {
    if (viewer !== 'hub') return this.#tools.sessions.byId(viewer, id);
    const session = this.#tools.lab.sessions.byId(id);
    if (session === undefined) throw new Refusal('not_found', 'unknown session');
    return { session, owner: null };
  }

  /** Throws as `session`. */
  of(viewer: Viewer, id: string): RecordingSource {
    return this.source(this.session(viewer, id).session);
  }

  source(session: DriverSession): RecordingSource {
    const { nodeOf, nodeClient, recordings, recorder } = this.#tools;
    const node = nodeOf(session);
    if (node === undefined) return new OwnRecording(session.id, recordings, recorder);
    return new NodeRecording(nodeClient, { node, sessionId: session.id, ownerId: session.ownerId });
  }

  /** Call when a recording is shown. Looking at one's own is not audited, and the hub audits what it asks for. */
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
