import type { IncomingMessage } from 'node:http';
import type { Admission, Reservation } from '@svc/device-lab';

/** A session that was created on another server, and the response to its client. */
export interface RemoteCreated {
  readonly id: string;
  readonly ownerId: string | null;
  /** The response, as JSON. */
  readonly answer: string;
  /** The session existed already, because the client sent the request again (`X-Idempotency-Key`). */
  readonly isRepeated?: true;
}

/** Decides where a create runs, and runs it there unless that is the automation server of this server. */
export interface CreatePlaces {
  /**
   * `body` is what the client sent, without credentials. Rejects with the `WebDriverError` to send.
   *
   * @returns the session, or for a create on this server its reserved device, or null if none is reserved yet
   */
  place(
    req: IncomingMessage,
    body: Readonly<Record<string, unknown>>,
    admission: Admission,
  ): Promise<RemoteCreated | Reservation | null>;
}
