import type { AccountReader, AccountStore } from './accounts.ts';
import type { AuditReader, AuditStore } from './audit.ts';
import type {
  ApiTokenReader,
  ApiTokenStore,
  ReplayReader,
  ReplayStore,
  RevocationReader,
  RevocationStore,
  SignInReader,
  SignInStore,
} from './credentials.ts';
import type { SettingReader, SettingStore } from './settings.ts';
import type { TeamReader, TeamStore } from './teams.ts';
import type { TrustRuleStates } from './trust-rule-states.ts';

/** Readers of the stores, which can be used at any time. Within a transaction, they see its changes. */
interface Readers {
  readonly accounts: AccountReader;
  readonly apiTokens: ApiTokenReader;
  readonly signIns: SignInReader;
  readonly teams: TeamReader;
  readonly audit: AuditReader;
  readonly replay: ReplayReader;
  readonly revocations: RevocationReader;
  readonly settings: SettingReader;
  readonly trustRules: TrustRuleStates;
}

/**
 * An open transaction. A function that takes part in the transaction of its caller takes this object as its first
 * parameter.
 */
export interface StoreTransaction extends Readers {
  readonly accounts: AccountStore;
  readonly apiTokens: ApiTokenStore;
  readonly signIns: SignInStore;
  readonly teams: TeamStore;
  readonly audit: AuditStore;
  readonly replay: ReplayStore;
  readonly revocations: RevocationStore;
  readonly settings: SettingStore;
}

export interface Stores extends Readers {
  /**
   * Runs `work` in a transaction, which makes all changes of `work` or none. Transactions cannot be nested. `work` must
   * not return a promise, and its `tx` writes nothing after `work` has returned.
   */
  readonly transaction: <T>(work: (tx: StoreTransaction) => T) => T;
  /** Runs `work` now or, within a transaction, after the commit or rollback. `work` must not throw. */
  readonly afterTransaction: (work: () => void) => void;
  /**
   * Returns a number that changes whenever an account, API token, sign-in or trust rule that was read earlier may be
   * outdated, because its row was changed or removed, or because a transaction was rolled back. It also changes when a
   * trust rule or a revocation is added. It does not change when another row is added, or when only the last use or the
   * expiry of a credential changes.
   */
  readonly version: () => number;
  /**
   * Like `version`, but faster: does not notice a change that another process has made since the last call of
   * `version`.
   */
  readonly versionHere: () => number;
}

/** Look-ups with which the server checks whether the owner of a verified credential may still use it. */
export interface AccountLookup extends Pick<Stores, 'version' | 'versionHere'> {
  readonly accounts: Pick<AccountReader, 'byId'>;
  readonly trustRules: TrustRuleStates;
}
