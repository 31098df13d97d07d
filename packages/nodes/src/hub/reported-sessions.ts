import type { DeviceLab, SessionClean } from '@svc/device-lab';
import type { LabNode } from './lab-node.ts';
import type { NodeCalls } from './node-calls.ts';
import type { NodeLogs } from './node-logs.ts';
import type { NodeSessions } from './node-report.ts';
import type { RemoteSessions } from './remote-sessions.ts';

interface ReportedSessionsOptions {
  readonly lab: DeviceLab;
  readonly calls: Pick<NodeCalls, 'endSession'>;
  readonly logs: Pick<NodeLogs, 'warn'>;
}

/**
 * Maximum number of sessions that are ended at the same time because a node reported them but the lab does not know
 * them. A node can report any number of sessions, so without this limit it could cause any number of requests.
 */
const MOST_ENDING = 16;

/**
 * Compares the sessions that a node reports with the sessions that the lab has recorded for this node. Ends those that
 * exist only on one side (contract 8.4).
 */
export class ReportedSessions {
  readonly #remote: RemoteSessions;
  readonly #options: ReportedSessionsOptions;

  constructor(remote: RemoteSessions, options: ReportedSessionsOptions) {
    this.#remote = remote;
    this.#options = options;
  }

  compare(node: LabNode, report: NodeSessions, now: number): void {
    const before = node.reportedAt;
    node.boot = report.boot;
    node.sequence = report.sequence;
    node.reportedAt = now;
    for (const { id, category, reason } of report.ended) {
      if (this.#remote.get(id)?.node === node) this.#remote.end(id, { category, reason });
    }
    for (const { id, ...clean } of report.cleaned ?? []) this.#takeClean(node, id, clean);
    const running = new Set(report.running.map(({ id }) => id));
    for (const [id, session] of this.#remote.entries()) {
      if (session.node !== node || running.has(id)) continue;
      const record = this.#options.lab.sessions.byId(id);
      // A session that is missing in the report counts as lost only if it started before the previous report. A newer
      // session may have started after the node created this report.
      if (record === undefined || before === null || record.startedAt >= before) continue;
      this.#remote.end(id, { category: 'Session Lost', reason: `node ${node.name} no longer has it` });
    }
    for (const { id, udid } of report.running) if (this.#isOrphan(id, udid)) this.#endOrphan(node, id);
  }

  /** A node tells about its own sessions alone. What was stored does not change again unless a cleaning is repeated. */
  #takeClean(node: LabNode, id: string, clean: SessionClean): void {
    const { lab } = this.#options;
    const session = lab.sessions.byId(id);
    if (session === undefined || session.node !== node.name) return;
    if (session.clean?.state === clean.state && session.clean.at === clean.at) return;
    lab.changeSession(id, { clean });
  }

  /**
   * Returns whether a session that a node reports must be ended: the lab has already recorded its end, or does not know
   * it.
   */
  #isOrphan(id: string, udid: string | null): boolean {
    const { sessions, devices } = this.#options.lab;
    if (this.#remote.get(id) !== undefined) return false;
    const record = sessions.byId(id);
    if (record !== undefined) return record.endedAt !== null;
    return udid !== null && devices.statusOf(udid) !== 'busy';
  }

  #endOrphan(node: LabNode, id: string): void {
    const { calls, lab, logs } = this.#options;
    // If too many sessions are being ended, skip this one. The next report contains it again.
    if (node.ending.has(id) || node.ending.size >= MOST_ENDING) return;
    node.ending.add(id);
    calls
      .endSession(node, id, lab.sessions.byId(id)?.ownerId ?? null)
      .catch((error: unknown) => {
        logs.warn(node, `A session could not be ended on node ${node.name}`, {
          session: id,
          cause: String(error),
        });
      })
      .finally(() => node.ending.delete(id));
  }
}

/**
 * Returns whether a report is out of date, because the hub has already received a later one. Reports from before and
 * after a restart of the node are not compared, because their numbers start again.
 */
export function isLate(node: LabNode, report: NodeSessions | null): boolean {
  return report !== null && report.boot === node.boot && report.sequence <= node.sequence;
}
