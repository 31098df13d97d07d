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

/** What can be read at any time. Within a transaction both faces read the same, its own changes included. */
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

/** An open transaction. A step that has to join the transaction of its caller takes it as its first argument. */
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
   * Everything `work` does happens or nothing does. None within another; `work` must not return a promise, and the
   * `tx` it is given writes nothing once it has returned.
   */
  readonly transaction: <T>(work: (tx: StoreTransaction) => T) => T;
  /** Does it now or, within a transaction, as soon as that is over, however it ended. `work` must not throw. */
  readonly afterTransaction: (work: () => void) => void;
  /**
   * Another number as soon as an account, API token or sign-in that was handed out may read differently: changed,
   * removed or taken back. A last use or a slid expiry is no such change, and neither is a new row.
   */
  readonly version: () => number;
  /** As `version`, without a look whether another process has changed anything: until `version` is asked next. */
  readonly versionHere: () => number;
}

/** What a credential that was verified is held against. */
export interface AccountLookup extends Pick<Stores, 'version' | 'versionHere'> {
  readonly accounts: Pick<AccountReader, 'byId'>;
}
