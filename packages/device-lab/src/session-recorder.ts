/** Response of an `svc:` execute method (specification 9.2 from 2.14; contract 6.5). */
export type Recorded = { readonly recorded: true } | { readonly recorded: false; readonly message: string };

/** Records what sessions show (contract 11). Every method returns undefined for a session that is not recorded. */
export interface SessionRecorder {
  /** Keeps a picture of this moment. Never rejects. */
  captureEvidence(id: string, label: string | null): Promise<Recorded> | undefined;
  pause(id: string): Recorded | Promise<Recorded> | undefined;
  resume(id: string): Recorded | Promise<Recorded> | undefined;
  /** Resolves when the picture of a session that was set to `failed` is kept, or cannot be. Never rejects. */
  statusSet(id: string, status: 'passed' | 'failed', reason: string | null): Promise<unknown> | undefined;
}
