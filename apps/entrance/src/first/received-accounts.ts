import { type Account, type Clock, Unavailable } from '@svc/auth-core';
import type { ResponseOf, routes } from '@svc/contract';

/**
 * Fields of an account that decide whether its credentials are valid. The first entrance
 * sends them.
 */
export type ReceivedAccount = NonNullable<ResponseOf<typeof routes.accountsForEntrances>['accounts']>[number];

/** A revoked token or key. The first entrance sends it. */
export type RevokedToken = ResponseOf<typeof routes.accountsForEntrances>['revoked'][number];

/**
 * Maximum time in ms without a response of the first entrance. Afterwards look-ups fail,
 * because an account may have been deactivated in the database in the meantime. A server that is managed by a hub uses
 * the same time for the fetched keys of the hub (contract 8.3).
 */
const SILENT_MS = 10 * 60 * 1000;

/**
 * State of every received trust rule (a rule that lets CI jobs sign in with tokens of their issuer). It is always the
 * same, because the first entrance sends no rule that is paused or has a paused parent.
 */
const LIVE_RULE = { paused: false, parentId: null } as const;

/**
 * The accounts that the first entrance sent last, kept in memory. On the first entrance
 * itself, the database answers the same look-ups.
 */
export class ReceivedAccounts {
  readonly #clock: Clock;
  #accounts: ReadonlyMap<string, Account> = new Map();
  #trustRules: ReadonlySet<string> = new Set();
  #revoked: ReadonlyMap<string, RevokedToken> = new Map();
  #longestLife = Number.POSITIVE_INFINITY;
  #cursor: string | undefined;
  #version = 0;
  #receivedAt: number | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Cursor of the last response that contained accounts, or undefined if no such response has arrived. The next request
   * sends it, so that the accounts are sent again only if they have changed.
   */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  /**
   * Stores a response of the first entrance.
   * @param accounts all accounts, or null if nothing has changed since the last response
   * @param trustRules ids of the trust rules whose tokens are valid; ignored if `accounts` is null
   * @param revoked all revoked tokens and keys; ignored if `accounts` is null
   * @param longestLife seconds for which the first entrance accepts a token at most, and keeps its revocation
   */
  receive({
    cursor,
    accounts,
    trustRules = [],
    revoked = [],
    longestLife = Number.POSITIVE_INFINITY,
  }: {
    readonly cursor: string;
    readonly accounts: readonly ReceivedAccount[] | null;
    readonly trustRules?: readonly string[];
    readonly revoked?: readonly RevokedToken[];
    readonly longestLife?: number;
  }): void {
    this.#receivedAt = this.#clock.now();
    if (accounts === null) return;
    this.#accounts = new Map(accounts.map((received) => [received.id, accountOf(received)]));
    this.#trustRules = new Set(trustRules);
    this.#revoked = new Map(revoked.map((each) => [each.id, each]));
    this.#longestLife = longestLife;
    this.#cursor = cursor;
    this.#version++;
  }

  /** Number of seconds after which the first entrance refuses a token, whatever its claim `exp` says. */
  get longestLife(): number {
    return this.#longestLife;
  }

  /**
   * @returns the account, or undefined if no account has this id
   * @throws Unavailable if the first entrance has not responded for too long
   */
  byId(id: string): Account | undefined {
    this.#checkAge();
    return this.#accounts.get(id);
  }

  /**
   * @returns the state of a rule that lets CI jobs sign in, or undefined if tokens from this rule are not valid
   * @throws Unavailable if the first entrance has not responded for too long
   */
  trustRule(id: string): typeof LIVE_RULE | undefined {
    this.#checkAge();
    return this.#trustRules.has(id) ? LIVE_RULE : undefined;
  }

  /**
   * @returns the record of a revoked token or key, or undefined if it was not revoked
   * @throws Unavailable if the first entrance has not responded for too long
   */
  find(id: string): RevokedToken | undefined {
    this.#checkAge();
    return this.#revoked.get(id);
  }

  /**
   * Returns a number that changes whenever the stored accounts, trust rules or revoked tokens may have changed. Results
   * that were cached under another number are outdated.
   * @throws Unavailable if the first entrance has not responded for too long
   */
  version(): number {
    this.#checkAge();
    return this.#version;
  }

  #checkAge(): void {
    const now = this.#clock.now();
    // A negative age means that the clock was moved back. The real age is then unknown, so the accounts count as too
    // old.
    const age = this.#receivedAt === null ? SILENT_MS : now - this.#receivedAt;
    if (age < 0 || age >= SILENT_MS)
      throw new Unavailable('the first entrance has not responded for too long');
  }
}

function accountOf(received: ReceivedAccount): Account {
  return {
    ...received,
    email: '',
    name: '',
    teams: [],
    createdAt: 0,
    lastSignInAt: null,
    temporaryPasswordUntil: null,
    defaultPassword: false,
  };
}
