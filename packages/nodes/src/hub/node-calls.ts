import type { DirectInput } from '@svc/device-lab';
import type { LabNode } from './lab-node.ts';

/** Requests that a hub sends to its nodes. */
export interface NodeCalls {
  /** Ends a session on a node. Resolves once the node no longer has the session, even if the node never had it. */
  endSession(node: LabNode, sessionId: string, ownerId: string | null): Promise<void>;
  keepAlive(node: LabNode, sessionId: string, ownerId: string | null): Promise<void>;
  /**
   * Sends an input to a device of the node. `sessionId` is null if no session runs on the device. Rejects with
   * `InputUnsupported` if the device does not accept this input, or with `InputFailed` if the node or the driver refuses
   * it.
   */
  input(node: LabNode, target: { udid: string; sessionId: string | null }, input: DirectInput): Promise<void>;
  /** Connects to the node in order to store its TLS key. Errors are ignored. */
  meet(node: LabNode): void;
  /** Ends all requests that wait for a response of the node. Called when the node no longer reports or was removed. */
  giveUp(node: LabNode): void;
}
