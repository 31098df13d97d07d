import type { DeviceInput } from '../start-session.ts';
import type { LabNode } from './lab-node.ts';

/** How a hub speaks to its nodes. */
export interface NodeCalls {
  /** Resolves once the session is gone there, also when it was so already. */
  endSession(node: LabNode, sessionId: string, ownerId: string | null): Promise<void>;
  keepAlive(node: LabNode, sessionId: string, ownerId: string | null): Promise<void>;
  /** Rejects with `InputFailed`. */
  input(node: LabNode, target: { udid: string; sessionId: string }, input: DeviceInput): Promise<void>;
  /** Connects to it, so that its key is seen; never rejects. */
  meet(node: LabNode): void;
  /** The node is no longer heard of: what waits for it need not wait on. */
  giveUp(node: LabNode): void;
}
