import type { IncomingMessage } from 'node:http';
import type { Admission, Reservation } from '@svc/device-lab';

/** A session that was created elsewhere, and what its client is answered. */
export interface RemoteCreated {
  readonly id: string;
  readonly ownerId: string | null;
  /** JSON. */
  readonly answer: string;
  /** It was there before: the request was sent again (`X-Idempotency-Key`). */
  readonly isRepeated?: true;
}

/** Decides where a create runs, and runs it there unless that is the automation server here. */
export interface CreatePlaces {
  /**
   * `body`: what the client sent, credentials removed. A reservation: of a device of this server. Null: none is
   * reserved yet. Rejects with the `WebDriverError` to answer.
   */
  place(
    req: IncomingMessage,
    body: Readonly<Record<string, unknown>>,
    admission: Admission,
  ): Promise<RemoteCreated | Reservation | null>;
}
