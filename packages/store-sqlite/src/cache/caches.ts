import type { TrustRule } from '@svc/accounts';
import type { Account, ApiToken, Log, SignIn } from '@svc/auth-core';
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
 * New expiry and last use of a sign-in (ms since 1970) that are not written to the database yet. `written` holds the
 * values that the row in the database still has.
 */
export interface Extension {
  readonly lastSeenAt: number;
  readonly expiresAt: number;
  readonly written: Pick<SignIn, 'lastSeenAt' | 'expiresAt'>;
  /** Whether the new values differ enough from `written` to be written with the next batch. */
  readonly due: boolean;
}

/**
 * Caches that all stores share. When a store removes a row, SQLite also removes rows of other tables that refer to it.
 * The store must then remove these rows from the caches of the other tables.
 */
export class Caches {
  /** Accounts by access key. */
  readonly accounts: RowCache<Account>;
  /** API tokens by the hash of their secret. */
  readonly apiTokens: RowCache<ApiToken>;
  /** Sign-ins by the hash of their secret. */
  readonly signIns: RowCache<SignIn>;
  readonly revoked: RevokedIds;
  readonly lastUsed: PendingWrites<number>;
  readonly extensions: PendingWrites<Extension>;
  readonly writeBehind: WriteBehind;
  /** All trust rules by id. Undefined if they must be read from the table again. */
  #trustRules: ReadonlyMap<string, TrustRule> | undefined;
  /** Increases whenever a row leaves the caches because it may be out of date (`Stores.version`). */
  #changes = 0;

  constructor(connection: Connection, log: Log, sizes: CacheSizes) {
    const changed = () => {
      this.#changes += 1;
    };
    this.accounts = new RowCache(sizes.accounts, changed);
    this.apiTokens = new RowCache(sizes.apiTokens, changed);
    this.signIns = new RowCache(sizes.signIns, changed);
    this.revoked = new RevokedIds(changed);
    this.lastUsed = new PendingWrites(connection);
    this.extensions = new PendingWrites(connection);
    this.writeBehind = new WriteBehind(connection, log);
    // Do not clear the pending writes. They exist only in memory, so that clearing them would lose changes.
    connection.onInvalidate(() => {
      this.accounts.clear();
      this.apiTokens.clear();
      this.signIns.clear();
      this.dropTrustRules();
      this.revoked.clear();
    });
  }

  get version(): number {
    return this.#changes;
  }

  /** Returns all trust rules from the cache. If they are not cached, calls `read` to read the table. */
  trustRules(read: () => ReadonlyMap<string, TrustRule>): ReadonlyMap<string, TrustRule> {
    this.#trustRules ??= read();
    return this.#trustRules;
  }

  /** Clears the cached trust rules and increases `version`. Called after a rule was changed or removed. */
  dropTrustRules(): void {
    this.#changes += 1;
    this.#trustRules = undefined;
  }

  /** Clears the cached trust rules without increasing `version`. Called if no rule was changed or removed. */
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
