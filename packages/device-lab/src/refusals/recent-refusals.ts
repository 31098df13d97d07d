import type { Clock } from '@svc/auth-core';

/** Why one request was refused, for Admins. Never holds a secret or a request's body. */
export interface RefusalRecord {
  readonly requestId: string;
  /** `api`: below `/svc/api`; `create`, `command`: WebDriver's, a command's socket included. */
  readonly kind: 'api' | 'create' | 'command';
  readonly method: string;
  /** Without query. */
  readonly path: string;
  readonly status: number;
  /** The public word. */
  readonly error: string;
  /** The whole reason. */
  readonly reason: string;
  /** Account id; null: a stranger. */
  readonly caller: string | null;
  readonly address: string | null;
  readonly sessionId: string | null;
}

export type Refused = RefusalRecord & { readonly at: number };

const MOST = 2_000;
/** Contract 7. */
const KEPT_MS = 60 * 60 * 1000;
const LONGEST_PATH = 256;
/** A client chooses its request ids: the records of one id are bounded, so that they cannot push out the others. */
const MOST_OF_ONE = 5;

/** The latest refusals by request id, in memory only: they are asked for soon or never. */
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

  /** Those of the last hour, newest first; empty: none known. */
  explain(requestId: string): readonly Refused[] {
    const oldest = this.#clock.now() - KEPT_MS;
    return (this.#byId.get(requestId) ?? []).filter(({ at }) => at > oldest);
  }
}
