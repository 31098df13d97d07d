import type { SessionEnd } from '@svc/device-lab';
import type { LabNode } from './lab-node.ts';

/** Time-out (seconds) of a session without the capability `newCommandTimeout`. It equals Appium's default. */
const USUAL_TIMEOUT_SEC = 60;
/**
 * Time (seconds) without contact with the node after which a session with `newCommandTimeout` 0 counts as lost. For
 * Appium, 0 means that a session never times out.
 */
const WITHOUT_TIMEOUT_SEC = 3_600;

/** A session that runs on a node. */
export interface RemoteSession {
  readonly node: LabNode;
  /** Time (ms) without contact with the node after which the session counts as lost (contract 8.4). */
  readonly timeoutMs: number;
  /** Time of the node's last response to a command of the session (ms since 1970). */
  answeredAt: number;
  readonly end: (end: SessionEnd) => void;
}

/**
 * The sessions that run on nodes, by id. Each WebDriver command is looked up here to find the node to which it must be
 * forwarded.
 */
export class RemoteSessions {
  readonly #open = new Map<string, RemoteSession>();

  /** @returns the session, or undefined if no session with this id runs on a node */
  get(id: string): RemoteSession | undefined {
    return this.#open.get(id);
  }

  entries(): [string, RemoteSession][] {
    return [...this.#open];
  }

  /**
   * Adds a session.
   * @returns a promise that resolves with the cause when the session ends
   */
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

  /** Ends a session. Has no effect if the session is unknown or has already ended. */
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
