import type { DeviceInput } from '../start-session.ts';
import type { LabNode } from './lab-node.ts';

/** Requests of a hub to its nodes. */
export interface NodeCalls {
  /** Resolves once the session no longer exists on the node, also if it did not exist before. */
  endSession(node: LabNode, sessionId: string, ownerId: string | null): Promise<void>;
  keepAlive(node: LabNode, sessionId: string, ownerId: string | null): Promise<void>;
  /** Rejects with `InputFailed`. */
  input(node: LabNode, target: { udid: string; sessionId: string }, input: DeviceInput): Promise<void>;
  /** Connects to the node, so that its TLS key is recorded. Never rejects. */
  meet(node: LabNode): void;
  /** Ends all requests that wait for the node, because it no longer reports. */
  giveUp(node: LabNode): void;
}
