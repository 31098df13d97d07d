import type { Account, ApiToken, Log, SignIn, TrustRule } from '@svc/auth-core';
import type { Connection } from '../connection/connection.ts';
import { PendingWrites } from './pending-writes.ts';
import { RevokedIds } from './revoked-ids.ts';
import { RowCache } from './row-cache.ts';
import { WriteBehind } from './write-behind.ts';

/** Maximum number of cached rows of each kind. */
export interface CacheSizes {
  readonly accounts: number;
  readonly apiTokens: number;
  readonly signIns: number;
}

export const DEFAULT_SIZES: CacheSizes = { accounts: 50_000, apiTokens: 200_000, signIns: 50_000 };

/**
 * Extension of a sign-in that is not written to the database yet. `written` holds the values that the row still has.
 */
export interface Extension {
  readonly lastSeenAt: number;
  readonly expiresAt: number;
  readonly written: Pick<SignIn, 'lastSeenAt' | 'expiresAt'>;
  /** Whether the expiry moved far enough to be written with the next batch. */
  readonly due: boolean;
}

/**
 * Caches that all stores share. When a store removes a row, foreign keys also remove rows of other tables, which must
 * then be removed from their caches too.
 */
export class Caches {
  /** Accounts by access key. */
  readonly accounts: RowCache<Account>;
  /** API tokens by the hash of their secret. */
  readonly apiTokens: RowCache<ApiToken>;
  /** Sign-ins by the hash of their secret. */
  readonly signIns: RowCache<SignIn>;
  readonly revoked = new RevokedIds();
  readonly lastUsed: PendingWrites<number>;
  readonly extensions: PendingWrites<Extension>;
  readonly writeBehind: WriteBehind;
  /** All trust rules by id. Undefined if they must be read from the table again. */
  #trustRules: ReadonlyMap<string, TrustRule> | undefined;
  #trustRuleChanges = 0;

  constructor(connection: Connection, log: Log, sizes: CacheSizes) {
    this.accounts = new RowCache(sizes.accounts);
    this.apiTokens = new RowCache(sizes.apiTokens);
    this.signIns = new RowCache(sizes.signIns);
    this.lastUsed = new PendingWrites(connection);
    this.extensions = new PendingWrites(connection);
    this.writeBehind = new WriteBehind(connection, log);
    // Pending writes are not cleared, because they are changes and not copies of rows.
    connection.onInvalidate(() => {
      this.accounts.clear();
      this.apiTokens.clear();
      this.signIns.clear();
      this.dropTrustRules();
      this.revoked.clear();
    });
  }

  /** Number that changes whenever a cached row may be out of date (`Stores.version`). */
  get version(): number {
    const { accounts, apiTokens, signIns, revoked } = this;
    const dropped = accounts.invalidations + apiTokens.invalidations + signIns.invalidations;
    return dropped + revoked.invalidations + this.#trustRuleChanges;
  }

  /** Returns all trust rules from the cache. If they are not cached, calls `read` to read the table. */
  trustRules(read: () => ReadonlyMap<string, TrustRule>): ReadonlyMap<string, TrustRule> {
    this.#trustRules ??= read();
    return this.#trustRules;
  }

  /** Clears the cached trust rules and raises the version, because a rule was changed or removed. */
  dropTrustRules(): void {
    this.#trustRuleChanges += 1;
    this.#trustRules = undefined;
  }

  /** Clears the cached trust rules but keeps the version, because no existing rule has become invalid. */
  reloadTrustRules(): void {
    this.#trustRules = undefined;
  }

  dropApiToken(id: string): void {
    this.apiTokens.drop(id);
    this.lastUsed.drop(id);
  }

  dropSignIn(id: string): void {
    this.signIns.drop(id);
    this.extensions.drop(id);
  }
}
