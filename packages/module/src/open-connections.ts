import {
  type AccountLookup,
  type Authenticator,
  type Caller,
  type Clock,
  type Log,
  scopesWithRole,
} from '@svc/auth-core';

/**
 * Why the server closes a connection: `refused` if its caller lost the right to it, or `unverified` if the server was
 * unable to check the right for too long.
 */
export interface ConnectionEnd {
  readonly kind: 'refused' | 'unverified';
  /** Reason in words for the log and the audit trail. The client never gets it. */
  readonly reason: string;
}

/**
 * A socket, stream or upload that is still open after its request was authorized. Its caller may lose the right to it
 * meanwhile, so this right is checked again and again.
 */
export interface OpenConnection {
  /** Caller who opened the connection. */
  readonly caller: Caller;
  /** @returns why the caller may no longer use the connection with their current rights, or null if they may */
  refusal(caller: Caller): string | null;
  /**
   * Closes the connection. `OpenConnections` calls this method once, after it removed the connection from its list.
   * Must not throw, because other connections have to be checked afterwards.
   */
  close(end: ConnectionEnd): void;
}

export interface ConnectionHandle {
  /**
   * Checks the caller's right to the connection if anything has changed since the last check. Call it before each
   * message on the connection.
   * @returns the caller with the current account and scopes, or null if the right is gone or cannot be checked, in
   * which case nothing may be sent
   */
  current(): Caller | null;
  /** Discards the result of the last check, so that the connection is checked again before anything else is sent. */
  expire(): void;
  /** Removes the connection from the list. Call it when the connection has closed. */
  forget(): void;
}

interface Entry {
  readonly connection: OpenConnection;
  caller: Caller;
  /** Time (ms since 1970) of the last check that succeeded, or of the opening if no check has succeeded yet. */
  goodAt: number;
  /**
   * Value of `stores.version()`, which changes when stored accounts or credentials change, at the last check that
   * succeeded. Undefined if the connection must be checked again.
   */
  version: number | undefined;
}

interface OpenConnectionsOptions {
  readonly authenticator: Pick<Authenticator, 'stillGood'>;
  readonly stores: AccountLookup;
  readonly clock: Clock;
  readonly log: Log;
}

const LOOK_EVERY_MS = 500;
/**
 * Interval (ms) of checks while the stores do not change. A check that could not run is retried every `LOOK_EVERY_MS`.
 */
const CHECK_EVERY_MS = 14_000;
/** Maximum time (ms) without a successful check, after which a connection is closed. Contract 7 allows at most 30 s. */
const LONGEST_UNCHECKED_MS = 28_000;

const UNVERIFIED: ConnectionEnd = { kind: 'unverified', reason: 'access could not be verified' };

/**
 * List of connections that stay open after they were authorized. Each connection is checked again as soon as the stores
 * change, and at least every 30 s (contract 7). A connection is closed when its credential, account or right is gone,
 * or when no check could run for `LONGEST_UNCHECKED_MS`.
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
      // The connection has not been checked yet: its caller may come from a cache and may have lost the credential. The
      // next call of `look` or `current` checks it.
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

  /** Checks the connections whose last check is outdated, and closes those that have been unchecked for too long. */
  look(): void {
    const { stores, clock, log } = this.#options;
    const now = clock.now();
    let failure: unknown;
    for (const each of this.#open) {
      // A check fails if the database is locked, and may wait for it first. After one failure, the loop therefore
      // checks no further connection.
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

  /**
   * Checks all connections now. Call it when rights change without a change of `stores.version()`, for example when a
   * device moves to another team.
   */
  recheck(): void {
    for (const each of this.#open) each.version = undefined;
    this.look();
  }

  /**
   * Closes all connections. Call it when the key that signs tokens was removed: it may have been stolen, so a token
   * with its signature may be forged.
   */
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
      // The check failed, so the caller must not send anything now. If checks fail for too long, `look` closes the
      // connection.
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

  /**
   * @returns the caller with the current account and the scopes of its role, or undefined if the account was deleted or
   * the credential is no longer valid
   */
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
  // If the clock was set back, the age of the last check is unknown, so check again.
  return now < goodAt || now - goodAt >= CHECK_EVERY_MS;
}

function isOverdue({ goodAt }: Entry, now: number): boolean {
  return now < goodAt || now - goodAt >= LONGEST_UNCHECKED_MS;
}
