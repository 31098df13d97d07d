import type { IncomingMessage } from 'node:http';
import type { Admission, Patience, Reservation } from '@svc/device-lab';

/** A session that was created on another server, and the response to its client. */
export interface RemoteCreated {
  readonly id: string;
  readonly ownerId: string | null;
  /** Response to the client, as JSON text. */
  readonly answer: string;
  /** Set if the client repeated an earlier request (`X-Idempotency-Key`) and got the session of that request. */
  readonly isRepeated?: true;
}

/**
 * Decides whether a create-session request runs on this server's automation server or on another server. In the latter
 * case, also runs it there.
 */
export interface CreatePlaces {
  /**
   * Runs a create-session request on another server, or reserves a device for it here. Waits for the device or the
   * session limit as long as `patience` allows. `body` is the client's body without credentials. Rejects with the
   * `WebDriverError` to send if the request fails, and with `ClientLeft` if the client disconnected while the request
   * waited.
   *
   * @returns the session if it was created on another server. For a session on this server, returns the reservation of
   * its device, or null if no device is reserved yet
   */
  place(
    req: IncomingMessage,
    body: Readonly<Record<string, unknown>>,
    admission: Admission,
    patience?: Patience,
  ): Promise<RemoteCreated | Reservation | null>;
}
