import type { Log } from '@svc/auth-core';
import type { DeviceLab } from '../device-lab.ts';
import type { LabNode } from './lab-node.ts';
import type { NodeCalls } from './node-calls.ts';
import type { NodeSessions } from './node-report.ts';
import type { RemoteSessions } from './remote-sessions.ts';

interface ToldSessionsOptions {
  readonly lab: DeviceLab;
  readonly calls: Pick<NodeCalls, 'endSession'>;
  readonly log: Log;
}

/** Sessions of one node that nobody knows, ended at once: a node may tell of any number. */
const MOST_ENDING = 16;

/** What nodes say they run, against what the lab believes (contract 8.4). */
export class ToldSessions {
  readonly #remote: RemoteSessions;
  readonly #options: ToldSessionsOptions;

  constructor(remote: RemoteSessions, options: ToldSessionsOptions) {
    this.#remote = remote;
    this.#options = options;
  }

  compare(node: LabNode, told: NodeSessions, now: number): void {
    const before = node.reportedAt;
    node.boot = told.boot;
    node.sequence = told.sequence;
    node.reportedAt = now;
    for (const { id, category, reason } of told.ended) {
      if (this.#remote.get(id)?.node === node) this.#remote.end(id, { category, reason });
    }
    const running = new Set(told.running.map(({ id }) => id));
    for (const [id, session] of this.#remote.entries()) {
      if (session.node !== node || running.has(id)) continue;
      const record = this.#options.lab.sessions.byId(id);
      // What was there before the last report came would be in this one, which was put together after it.
      if (record === undefined || before === null || record.startedAt >= before) continue;
      this.#remote.end(id, { category: 'Session Lost', reason: `node ${node.name} no longer has it` });
    }
    for (const { id, udid } of told.running) if (this.#isOrphan(id, udid)) this.#endOrphan(node, id);
  }

  /** It goes on at its node, though the lab has filed its end, or never heard of it: a create that was cut off. */
  #isOrphan(id: string, udid: string | null): boolean {
    const { sessions, devices } = this.#options.lab;
    if (this.#remote.get(id) !== undefined) return false;
    const record = sessions.byId(id);
    if (record !== undefined) return record.endedAt !== null;
    return udid !== null && devices.statusOf(udid) !== 'busy';
  }

  #endOrphan(node: LabNode, id: string): void {
    const { calls, lab, log } = this.#options;
    // The rest of them is told again.
    if (node.ending.has(id) || node.ending.size >= MOST_ENDING) return;
    node.ending.add(id);
    calls
      .endSession(node, id, lab.sessions.byId(id)?.ownerId ?? null)
      .catch((error: unknown) => {
        log.warn(`A session could not be ended on node ${node.name}`, { session: id, cause: String(error) });
      })
      .finally(() => node.ending.delete(id));
  }
}

/** Whether a later report of the same run of the node was already taken over. */
export function isLate(node: LabNode, told: NodeSessions | null): boolean {
  return told !== null && told.boot === node.boot && told.sequence <= node.sequence;
}
