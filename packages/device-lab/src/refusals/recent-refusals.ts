import type { Clock } from '@svc/auth-core';

/** Reason why one request was refused, for Admins. The record never contains a secret or the body of a request. */
export interface RefusalRecord {
  readonly requestId: string;
  /**
   * Kind of the request: `api` for requests below `/svc/api`, and `create` or `command` for WebDriver requests and the
   * sockets of sessions.
   */
  readonly kind: 'api' | 'create' | 'command';
  readonly method: string;
  /** Path of the request without the query, because a query may contain secrets. */
  readonly path: string;
  readonly status: number;
  /** Public error code that the client received. */
  readonly error: string;
  /** Detailed reason, which the client did not receive. */
  readonly reason: string;
  /** Id of the caller's account, or null for an unauthenticated client. */
  readonly caller: string | null;
  readonly address: string | null;
  readonly sessionId: string | null;
}

export type Refused = RefusalRecord & { readonly at: number };

const MOST = 2_000;
/** Time for which a refusal can be explained (contract 7). */
const KEPT_MS = 60 * 60 * 1000;
const LONGEST_PATH = 256;
/**
 * Maximum number of refusals stored for one request id. Clients choose these ids, so one id must not evict the others.
 */
const MOST_OF_ONE = 5;

/**
 * The latest refusals by request id. They are only in memory, because an Admin needs an explanation shortly after a
 * refusal.
 */
export class RecentRefusals {
  readonly #clock: Clock;
  readonly #byId = new Map<string, Refused[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(note: RefusalRecord): void {
    const refused = { ...note, path: note.path.slice(0, LONGEST_PATH), at: this.#clock.now() };
    const known = this.#byId.get(note.requestId);
    if (known !== undefined) {
      known.unshift(refused);
      known.length = Math.min(known.length, MOST_OF_ONE);
      return;
    }
    this.#byId.set(note.requestId, [refused]);
    if (this.#byId.size > MOST) this.#byId.delete(this.#byId.keys().next().value as string);
  }

  /** @returns the refusals of the last hour with this request id, newest first */
  explain(requestId: string): readonly Refused[] {
    const oldest = this.#clock.now() - KEPT_MS;
    return (this.#byId.get(requestId) ?? []).filter(({ at }) => at > oldest);
  }
}
