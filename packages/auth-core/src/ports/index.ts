/*
 * Interfaces that the host of this package has to implement. Stores are synchronous, because the database is SQLite in
 * the same process. A use case without an `await` therefore runs without interruption, and no transaction stays open
 * across an `await` (docs/decisions/0002). A store throws `Unavailable` if it fails, and `Conflict` if a unique value
 * is taken.
 *
 * Each store has two interfaces: a reader, which is available everywhere, and the store itself, which only a
 * transaction provides.
 */

export type { AccountChange, AccountPage, AccountStore, NewAccount } from './accounts.ts';
export type {
  AuditCheck,
  AuditEntry,
  AuditEvent,
  AuditFilter,
  AuditFound,
  AuditHead,
  AuditRow,
  AuditSearch,
  AuditStore,
  PastSignIn,
  RemovedRows,
} from './audit.ts';
export type {
  ApiToken,
  ApiTokenPage,
  ApiTokenReader,
  ApiTokenStore,
  ReplayStore,
  Revocation,
  RevocationCount,
  RevocationLookup,
  RevocationStore,
  SignIn,
  SignInReader,
  SignInStore,
} from './credentials.ts';
export type { DirectoryEntry, DirectoryUserStore } from './directory-users.ts';
export type { Clock, HashingPlace, Log, PasswordHasher, Random } from './environment.ts';
export type {
  Identity,
  IdentityStore,
  ProviderSignInQuery,
  ProviderSignInRecord,
} from './identities.ts';
export type { ResetLink, ResetLinkStore } from './reset-links.ts';
export type { SettingStore } from './settings.ts';
export type { AccountLookup, Readers, Stores, StoreTransaction } from './stores.ts';
export type { TeamStore } from './teams.ts';
export type { TrustRuleStates } from './trust-rule-states.ts';
export {
  KEPT_RUNS,
  type TrustClaim,
  type TrustedKey,
  type TrustRule,
  type TrustRuleStore,
  type TrustRun,
} from './trust-rules.ts';
