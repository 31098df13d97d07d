import type { Authenticator } from './credentials/authenticate.ts';
import type { AccountLookup, Clock, Log } from './ports/index.ts';
import { type Caller, scopesWithRole } from './principal.ts';

/** Why a connection is closed: its caller lost the right to it, or no check could run for too long. */
export interface ConnectionEnd {
  readonly kind: 'refused' | 'unverified';
  /** For the log and the audit trail, never for the client. */
  readonly reason: string;
}

/** A socket, stream or upload, which stays open after its request was authorized. */
export interface OpenConnection {
  /** The caller who opened it. */
  readonly caller: Caller;
  /** @returns why the caller, with their current rights, may no longer use it; null if they may */
  refusal(caller: Caller): string | null;
  /** Closes the connection. Called once, after it was removed from the list. Must not throw. */
  close(end: ConnectionEnd): void;
}

export interface ConnectionHandle {
  /**
   * @returns the caller with the current account and scopes, for what is sent next; null if the right is gone or cannot
   * be checked, so that nothing may be sent. Costs one comparison while nothing has changed.
   */
  current(): Caller | null;
  /** Makes the next look check the connection again. */
  expire(): void;
  /** Call when the connection has closed. */
  forget(): void;
}

interface Entry {
  readonly connection: OpenConnection;
  caller: Caller;
  /** When a check last succeeded (ms), or when the connection was opened. */
  goodAt: number;
  /** Version of the stores at that check, or undefined to check again at the next look. */
  version: number | undefined;
}

interface OpenConnectionsOptions {
  readonly authenticator: Pick<Authenticator, 'stillGood'>;
  readonly stores: AccountLookup;
  readonly clock: Clock;
  readonly log: Log;
}

const LOOK_EVERY_MS = 500;
/** Interval of checks while nothing changes. A check that could not run is retried at each look. */
const CHECK_EVERY_MS = 14_000;
/** Contract 7: at most 30 s without a check that succeeded. */
const LONGEST_UNCHECKED_MS = 28_000;

const UNVERIFIED: ConnectionEnd = { kind: 'unverified', reason: 'access could not be verified' };

/**
 * Connections that stay open after they were authorized. Each is checked again as soon as the stores change, and at
 * least every 30 s (contract 7). It is closed when its credential, account or right is gone, or when no check could run
 * for that long.
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
      // A cached credential may already have ended.
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

  /** Checks all connections, which costs a few comparisons each while nothing has changed. */
  look(): void {
    const { stores, clock, log } = this.#options;
    const now = clock.now();
    let failure: unknown;
    for (const each of this.#open) {
      // After a failure no further check runs, because each could wait for the database again.
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

  /** Checks all connections now. Call when rights change that the stores do not show, such as the team of a device. */
  recheck(): void {
    for (const each of this.#open) each.version = undefined;
    this.look();
  }

  /** Closes all connections, because their credentials can no longer be distinguished from forgeries. */
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
      // `look` closes the connection if the failure lasts.
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

  /** @returns the caller with the current account, so that scopes follow the role; undefined if they are gone */
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
  // An earlier time means that the clock was set back.
  return now < goodAt || now - goodAt >= CHECK_EVERY_MS;
}

function isOverdue({ goodAt }: Entry, now: number): boolean {
  return now < goodAt || now - goodAt >= LONGEST_UNCHECKED_MS;
}
