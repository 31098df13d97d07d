import type { Clock } from '@svc/auth-core';

/**
 * A refused request and the reason, stored for Admins. Also an accepted create-session request with a warning about it,
 * whose `status` is 200. Contains neither secrets nor the request's body.
 */
export interface RefusalRecord {
  readonly requestId: string;
  /**
   * `api` for requests below `/svc/api`; `create` for WebDriver requests that create a session; `command` for other
   * WebDriver requests and for sockets of sessions.
   */
  readonly kind: 'api' | 'create' | 'command';
  readonly method: string;
  /** Path of the request without the query, because a query may contain secrets. */
  readonly path: string;
  readonly status: number;
  /** Public error code that the client received, or an empty string if it received none. */
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
/** Time (ms) for which Admins can look up the reason for a refusal (contract 7). */
const KEPT_MS = 60 * 60 * 1000;
const LONGEST_PATH = 256;
/**
 * Maximum number of refusals that are stored for one request id. Clients choose the ids, so a client could otherwise
 * fill the memory with refusals of one id.
 */
const MOST_OF_ONE = 5;

/**
 * The latest refusals, by request id. They are kept only in memory, because an Admin looks up a refusal soon after it
 * happened.
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
