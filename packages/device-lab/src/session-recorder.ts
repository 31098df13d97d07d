/** Result of an `svc:` execute method, as the client gets it (specification 9.2, release 2.14; contract 6.5). */
export type Recorded = { readonly recorded: true } | { readonly recorded: false; readonly message: string };

/** Records the screens of sessions (contract 11). Every method returns undefined if the session is not recorded. */
export interface SessionRecorder {
  /** Stores a picture of the current screen. Never rejects. */
  captureEvidence(id: string, label: string | null): Promise<Recorded> | undefined;
  pause(id: string): Recorded | Promise<Recorded> | undefined;
  resume(id: string): Recorded | Promise<Recorded> | undefined;
  /**
   * Called when a client sets the status of its session. For `failed` the promise resolves once a picture of the
   * failure is stored, or could not be taken. Never rejects.
   */
  statusSet(id: string, status: 'passed' | 'failed', reason: string | null): Promise<unknown> | undefined;
}
