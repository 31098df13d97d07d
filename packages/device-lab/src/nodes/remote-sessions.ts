import type { SessionEnd } from '../driver-sessions.ts';
import type { LabNode } from './lab-node.ts';

/** Of a session that set none, and of Appium itself. */
const USUAL_TIMEOUT_SEC = 60;
/** For a session that never times out: its node is gone for good by then. */
const WITHOUT_TIMEOUT_SEC = 3_600;

/** A session that runs on a node. */
export interface RemoteSession {
  readonly node: LabNode;
  /** How long after its node was heard of last it counts as lost (contract 8.4). */
  readonly timeoutMs: number;
  /** When a command was answered last (ms). */
  answeredAt: number;
  readonly end: (end: SessionEnd) => void;
}

/** The sessions that run on nodes, by id: what the gate asks with each command. */
export class RemoteSessions {
  readonly #open = new Map<string, RemoteSession>();

  /** Undefined: it runs on this server, or is unknown. One map look-up. */
  get(id: string): RemoteSession | undefined {
    return this.#open.get(id);
  }

  entries(): [string, RemoteSession][] {
    return [...this.#open];
  }

  /** The answer resolves with how it ends. */
  add(
    id: string,
    {
      node,
      capabilities,
      now,
    }: { node: LabNode; capabilities: Readonly<Record<string, unknown>>; now: number },
  ): Promise<SessionEnd> {
    return new Promise((end) => {
      this.#open.set(id, { node, timeoutMs: timeoutOf(capabilities) * 1000, answeredAt: now, end });
    });
  }

  /** The first end counts. No effect on one that is not here. */
  end(id: string, end: SessionEnd): void {
    this.#open.get(id)?.end(end);
  }

  forget(id: string): void {
    this.#open.delete(id);
  }
}

function timeoutOf(capabilities: Readonly<Record<string, unknown>>): number {
  const given = capabilities.newCommandTimeout ?? capabilities['appium:newCommandTimeout'];
  const seconds = Number(given ?? USUAL_TIMEOUT_SEC);
  if (!Number.isFinite(seconds) || seconds < 0) return USUAL_TIMEOUT_SEC;
  return seconds === 0 ? WITHOUT_TIMEOUT_SEC : seconds;
}
