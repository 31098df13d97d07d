import type { DeviceInput } from '../start-session.ts';
import type { LabNode } from './lab-node.ts';

/** Requests that a hub sends to its nodes. */
export interface NodeCalls {
  /** Ends a session. Resolves once the session no longer exists on the node, even if it did not exist before. */
  endSession(node: LabNode, sessionId: string, ownerId: string | null): Promise<void>;
  keepAlive(node: LabNode, sessionId: string, ownerId: string | null): Promise<void>;
  /**
   * Puts an input into a device of the node. Rejects with `InputFailed` if the node or the driver rejects the input.
   */
  input(node: LabNode, target: { udid: string; sessionId: string }, input: DeviceInput): Promise<void>;
  /** Connects to the node, so that its TLS key is recorded. Errors are ignored. */
  meet(node: LabNode): void;
  /** Ends all requests that wait for a response of the node, because it no longer reports. */
  giveUp(node: LabNode): void;
}
