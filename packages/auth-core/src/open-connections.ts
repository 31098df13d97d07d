import type { Authenticator } from './credentials/authenticate.ts';
import type { AccountLookup, Clock, Log } from './ports/index.ts';
import { type Caller, scopesWithRole } from './principal.ts';

/** Why a connection is closed: its caller's right is gone, or no check could run for too long. */
export interface ConnectionEnd {
  readonly kind: 'refused' | 'unverified';
  /** For the log and the audit trail, never for the client. */
  readonly reason: string;
}

/** Something that stays open after its request was answered: a socket, a stream, an upload. */
export interface OpenConnection {
  /** Who it was opened for. */
  readonly caller: Caller;
  /** Why the caller, as they are now, may no longer have it; null: they may. */
  refusal(caller: Caller): string | null;
  /** Closes it. Called once; it is forgotten by then. Must not throw. */
  close(end: ConnectionEnd): void;
}

export interface ConnectionHandle {
  /**
   * The caller with the account and scopes as they are at this moment, for what is sent next. Null: the right is gone,
   * or cannot be checked; nothing may be sent. One comparison while nothing has changed.
   */
  current(): Caller | null;
  /** It is checked again at the next look. */
  expire(): void;
  /** It is closed. */
  forget(): void;
}

interface Entry {
  readonly connection: OpenConnection;
  caller: Caller;
  /** When it was last found good (ms); opening it counts. */
  goodAt: number;
  /** The stores' version then; undefined: to be checked at the next look. */
  version: number | undefined;
}

interface OpenConnectionsOptions {
  readonly authenticator: Pick<Authenticator, 'stillGood'>;
  readonly stores: AccountLookup;
  readonly clock: Clock;
  readonly log: Log;
}

const LOOK_EVERY_MS = 500;
/** Checked this often even if nothing has changed. A check that could not run is retried at each look. */
const CHECK_EVERY_MS = 14_000;
/** Contract 7: at most 30 s without a check that succeeded. */
const LONGEST_UNCHECKED_MS = 28_000;

const UNVERIFIED: ConnectionEnd = { kind: 'unverified', reason: 'access could not be verified' };

/**
 * Everything that was let in and stays open. Each is checked again as soon as the stores change, and in any case well
 * within 30 s (contract 7): it is closed when its credential, account or right is gone, or when no check could run for
 * that long.
 */
export class OpenConnections {
  readonly #options: OpenConnectionsOptions;
  readonly #open = new Set<Entry>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: OpenConnectionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#open.size;
  }

  add(connection: OpenConnection): ConnectionHandle {
    const entry: Entry = {
      connection,
      caller: connection.caller,
      goodAt: this.#options.clock.now(),
      // A remembered credential may have ended before this.
      version: undefined,
    };
    this.#open.add(entry);
    this.#timer ??= setInterval(() => this.look(), LOOK_EVERY_MS).unref();
    return {
      current: () => this.#current(entry),
      expire: () => {
        entry.version = undefined;
      },
      forget: () => this.#forget(entry),
    };
  }

  /** Looks at all of them: a few comparisons each while nothing has changed. */
  look(): void {
    const { stores, clock, log } = this.#options;
    const now = clock.now();
    let failure: unknown;
    for (const each of this.#open) {
      // One failure is enough: each further check could wait for the database again.
      if (failure === undefined) {
        try {
          const version = stores.version();
          if (isDue(each, version, now)) this.#check(each, version, now);
          continue;
        } catch (error) {
          failure = error;
          log.error('Open connections could not be checked', { cause: String(error) });
        }
      }
      if (isOverdue(each, now)) this.#close(each, UNVERIFIED);
    }
  }

  /** Something else that rights hang on has changed, such as the team of a device: all are checked now. */
  recheck(): void {
    for (const each of this.#open) each.version = undefined;
    this.look();
  }

  /** What let them in can no longer be told from a forgery. */
  closeAll(reason: string): void {
    for (const each of this.#open) this.#close(each, { kind: 'refused', reason });
  }

  #current(entry: Entry): Caller | null {
    if (!this.#open.has(entry)) return null;
    const { stores, clock } = this.#options;
    try {
      const now = clock.now();
      const version = stores.version();
      if (isDue(entry, version, now)) this.#check(entry, version, now);
    } catch {
      // Closed by `look` when it stays that way.
      return null;
    }
    return this.#open.has(entry) ? entry.caller : null;
  }

  #check(entry: Entry, version: number, now: number): void {
    const caller = this.#callerNow(entry.connection.caller);
    const reason =
      caller === undefined ? 'the credential is no longer valid' : entry.connection.refusal(caller);
    if (caller === undefined || reason !== null) {
      this.#close(entry, { kind: 'refused', reason: reason ?? '' });
      return;
    }
    entry.caller = caller;
    entry.goodAt = now;
    entry.version = version;
  }

  /** With the account as it is now, so that scopes and override come and go with the role. */
  #callerNow(caller: Caller): Caller | undefined {
    const { authenticator, stores } = this.#options;
    const account = stores.accounts.byId(caller.account.id);
    if (account === undefined || !authenticator.stillGood(caller)) return undefined;
    return { ...caller, account, scopes: scopesWithRole(caller, account.role) };
  }

  #close(entry: Entry, end: ConnectionEnd): void {
    this.#forget(entry);
    entry.connection.close(end);
  }

  #forget(entry: Entry): void {
    this.#open.delete(entry);
    if (this.#open.size === 0) this.#timer = void clearInterval(this.#timer);
  }
}

function isDue({ version, goodAt, caller }: Entry, current: number, now: number): boolean {
  if (version !== current || (caller.expiresAt !== null && now >= caller.expiresAt)) return true;
  // Before it: the clock was set back.
  return now < goodAt || now - goodAt >= CHECK_EVERY_MS;
}

function isOverdue({ goodAt }: Entry, now: number): boolean {
  return now < goodAt || now - goodAt >= LONGEST_UNCHECKED_MS;
}
