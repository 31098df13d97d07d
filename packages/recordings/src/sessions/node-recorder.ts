import { isRecord } from '@svc/contract';
import type { DeviceLab, Recorded, SessionRecorder } from '@svc/device-lab';
import type { LabNode, NodeClient } from '@svc/nodes';

interface NodeRecorderOptions {
  readonly nodeOf: (id: string) => LabNode | undefined;
  readonly client: () => Pick<NodeClient, 'execute'>;
  readonly sessions: Pick<DeviceLab['sessions'], 'ownerOf'>;
}

const LONGEST_MESSAGE = 256;

/**
 * Forwards commands about the recording of a session from the hub to the node that records the session (contract 11).
 */
export class NodeRecorder implements SessionRecorder {
  readonly #options: NodeRecorderOptions;

  constructor(options: NodeRecorderOptions) {
    this.#options = options;
  }

  captureEvidence(id: string, label: string | null): Promise<Recorded> | undefined {
    return this.#execute(id, 'svc: captureEvidence', label === null ? {} : { label });
  }

  pause(id: string): Promise<Recorded> | undefined {
    return this.#execute(id, 'svc: pauseRecording', {});
  }

  resume(id: string): Promise<Recorded> | undefined {
    return this.#execute(id, 'svc: resumeRecording', {});
  }

  /**
   * Forwards to the node the status that a client set for a session. The node may have to keep only failed sessions.
   */
  statusSet(id: string, status: 'passed' | 'failed', reason: string | null): Promise<unknown> | undefined {
    return this.#execute(id, 'svc: setSessionStatus', { status, ...(reason === null ? {} : { reason }) });
  }

  #execute(id: string, script: string, fields: object): Promise<Recorded> | undefined {
    const { nodeOf, client, sessions } = this.#options;
    const node = nodeOf(id);
    if (node === undefined) return undefined;
    const at = { sessionId: id, ownerId: sessions.ownerOf(id) ?? null };
    return client()
      .execute(node, at, script, fields)
      .then(recordedIn)
      .catch(() => ({ recorded: false, message: `node ${node.name} did not respond` }));
  }
}

function recordedIn(value: unknown): Recorded {
  if (!isRecord(value)) return { recorded: false, message: 'the node did not carry out the command' };
  if (value.recorded === true) return { recorded: true };
  return { recorded: false, message: String(value.message ?? 'not recorded').slice(0, LONGEST_MESSAGE) };
}
