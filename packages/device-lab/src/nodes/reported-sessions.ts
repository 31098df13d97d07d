import type { DeviceLab } from '../device-lab.ts';
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
 * Maximum number of unknown sessions of one node that are ended at the same time. Limited, because a node can report
 * any number of sessions.
 */
const MOST_ENDING = 16;

/**
 * Compares the sessions that nodes report with those that the lab has recorded, and ends sessions that exist only on
 * one side (contract 8.4).
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
    const running = new Set(report.running.map(({ id }) => id));
    for (const [id, session] of this.#remote.entries()) {
      if (session.node !== node || running.has(id)) continue;
      const record = this.#options.lab.sessions.byId(id);
      // The node may have created this report before a new session started. Therefore a missing session counts as lost
      // only if it is older than the previous report.
      if (record === undefined || before === null || record.startedAt >= before) continue;
      this.#remote.end(id, { category: 'Session Lost', reason: `node ${node.name} no longer has it` });
    }
    for (const { id, udid } of report.running) if (this.#isOrphan(id, udid)) this.#endOrphan(node, id);
  }

  /**
   * Returns whether a session that runs on a node must be ended, because the lab has already recorded its end or does
   * not know it.
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
    // Sessions beyond the limit can wait, because the node reports them again.
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
 * Returns whether a report is out of date, because the hub has already processed this report or a later one. Only
 * reports since the same start of the node are compared.
 */
export function isLate(node: LabNode, report: NodeSessions | null): boolean {
  return report !== null && report.boot === node.boot && report.sequence <= node.sequence;
}
