import type { IncomingMessage } from 'node:http';
import type { Admission, Patience, Reservation } from '@svc/device-lab';

/** A session that was created on another server, and the response to its client. */
export interface RemoteCreated {
  readonly id: string;
  readonly ownerId: string | null;
  /** Response to the client, as JSON text. */
  readonly answer: string;
  /**
   * Set if the client repeated an earlier request with the same `X-Idempotency-Key` and gets the session of that
   * request.
   */
  readonly isRepeated?: true;
}

/**
 * Decides whether a create-session request runs on this server's own automation server or on another server, where it
 * then runs the request.
 */
export interface CreatePlaces {
  /**
   * Runs a create-session request on another server, or reserves a device of this server for it. Waits for a device, or
   * until the session limit allows another session, as long as `patience` allows. Rejects with the `WebDriverError` to
   * send if the request fails, and with `ClientLeft` if the client disconnected while the request waited.
   * @param body the client's body without credentials
   * @param gone aborted when the client has disconnected, so that a session which is made later is ended (contract 14.7)
   * @returns the session if it was created on another server. For a session on this server, returns the reservation of
   * its device, or null if the Appium plugin reserves the device later
   */
  place(
    req: IncomingMessage,
    body: Readonly<Record<string, unknown>>,
    admission: Admission,
    patience?: Patience,
    gone?: AbortSignal,
  ): Promise<RemoteCreated | Reservation | null>;
}
