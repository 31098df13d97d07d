/**
 * Result of an `svc:` execute method, in the form in which the client receives it (specification 9.2, release 2.14;
 * contract 6.5).
 */
export type Recorded = { readonly recorded: true } | { readonly recorded: false; readonly message: string };

/**
 * Records the screens of sessions (contract 11). Each method returns undefined if the session with this id is not
 * recorded.
 */
export interface SessionRecorder {
  /** Stores a picture of the current screen. Never rejects: if this fails, the result says so. */
  captureEvidence(id: string, label: string | null): Promise<Recorded> | undefined;
  pause(id: string): Recorded | Promise<Recorded> | undefined;
  resume(id: string): Recorded | Promise<Recorded> | undefined;
  /**
   * Called when a client sets the status of its session. For `failed`, a picture of the screen is stored; the promise
   * resolves when it is stored or could not be taken. Never rejects.
   */
  statusSet(id: string, status: 'passed' | 'failed', reason: string | null): Promise<unknown> | undefined;
}
