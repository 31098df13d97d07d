import type { Account, ApiToken, Log, SignIn } from '@svc/auth-core';
import type { Connection } from '../connection/connection.ts';
import { PendingWrites } from './pending-writes.ts';
import { RowCache } from './row-cache.ts';
import { WriteBehind } from './write-behind.ts';

/** How many rows are kept in memory at most. */
export interface MemorySizes {
  readonly accounts: number;
  readonly apiTokens: number;
  readonly signIns: number;
}

export const USUAL_SIZES: MemorySizes = { accounts: 50_000, apiTokens: 200_000, signIns: 50_000 };

/** An extension of a sign-in, beside the values its row still has. */
export interface Extension {
  readonly lastSeenAt: number;
  readonly expiresAt: number;
  readonly written: Pick<SignIn, 'lastSeenAt' | 'expiresAt'>;
  /** It moved far enough to be written at the next occasion. */
  readonly due: boolean;
}

/** Everything the stores keep in memory; they share it because removing a row of one removes rows of others. */
export class Memory {
  /** By access key. */
  readonly accounts: RowCache<Account>;
  /** By hash. */
  readonly apiTokens: RowCache<ApiToken>;
  /** By hash. */
  readonly signIns: RowCache<SignIn>;
  readonly lastUsed: PendingWrites<number>;
  readonly extensions: PendingWrites<Extension>;
  readonly writeBehind: WriteBehind;

  constructor(connection: Connection, log: Log, sizes: MemorySizes) {
    this.accounts = new RowCache(sizes.accounts);
    this.apiTokens = new RowCache(sizes.apiTokens);
    this.signIns = new RowCache(sizes.signIns);
    this.lastUsed = new PendingWrites(connection);
    this.extensions = new PendingWrites(connection);
    this.writeBehind = new WriteBehind(connection, log);
    // Pending writes are not copies of rows and stay.
    connection.onForget(() => {
      this.accounts.clear();
      this.apiTokens.clear();
      this.signIns.clear();
    });
  }

  /** Changes with every row that may read differently now. */
  get version(): number {
    return this.accounts.losses + this.apiTokens.losses + this.signIns.losses;
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
