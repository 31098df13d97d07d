import type { AccountReader, AccountStore } from './accounts.ts';
import type { AuditReader, AuditStore } from './audit.ts';
import type {
  ApiTokenReader,
  ApiTokenStore,
  ReplayReader,
  ReplayStore,
  ResetLinkReader,
  ResetLinkStore,
  SignInReader,
  SignInStore,
} from './credentials.ts';
import type { SettingReader, SettingStore } from './settings.ts';
import type { TeamReader, TeamStore } from './teams.ts';

/** What can be read at any time. Within a transaction, readers see its changes. */
export interface Readers {
  readonly accounts: AccountReader;
  readonly apiTokens: ApiTokenReader;
  readonly signIns: SignInReader;
  readonly resetLinks: ResetLinkReader;
  readonly teams: TeamReader;
  readonly audit: AuditReader;
  readonly replay: ReplayReader;
  readonly settings: SettingReader;
}

/** An open transaction. A step that joins the transaction of its caller takes it as its first argument. */
export interface StoreTransaction extends Readers {
  readonly accounts: AccountStore;
  readonly apiTokens: ApiTokenStore;
  readonly signIns: SignInStore;
  readonly resetLinks: ResetLinkStore;
  readonly teams: TeamStore;
  readonly audit: AuditStore;
  readonly replay: ReplayStore;
  readonly settings: SettingStore;
}

export interface Stores extends Readers {
  /**
   * Runs `work`; all of its changes are made, or none. Transactions cannot be nested. `work` must not return a promise,
   * and its `tx` writes nothing after it has returned.
   */
  readonly transaction: <T>(work: (tx: StoreTransaction) => T) => T;
  /** Runs `work` now or, within a transaction, after its commit or rollback. `work` must not throw. */
  readonly afterTransaction: (work: () => void) => void;
  /**
   * A number that changes as soon as an account, API token or sign-in that was read before may have been changed,
   * removed or rolled back. It does not change for a last use, an extended expiry or a new row.
   */
  readonly version: () => number;
  /** As `version`, without changes by other processes since the last call of `version`. */
  readonly versionHere: () => number;
}

/** What a verified credential is checked against. */
export interface AccountLookup extends Pick<Stores, 'version' | 'versionHere'> {
  readonly accounts: Pick<AccountReader, 'byId'>;
}
