/*
 * Interfaces that the host of this package has to implement. Stores are synchronous, because the database is SQLite in
 * the same process. A use case without an `await` therefore runs without interruption, and no transaction stays open
 * across an `await` (docs/decisions/0002). A store throws `Unavailable` if it fails, and `Conflict` if a unique value
 * is taken.
 *
 * Each store has two interfaces: a reader, which is available everywhere, and the store itself, which only a
 * transaction provides.
 */

export type { AccountStore, NewAccount } from './accounts.ts';
export type {
  AuditCheck,
  AuditEntry,
  AuditEvent,
  AuditFound,
  AuditRow,
  AuditSearch,
  AuditStore,
} from './audit.ts';
export type {
  ApiToken,
  ApiTokenReader,
  ApiTokenStore,
  ReplayStore,
  Revocation,
  RevocationLookup,
  RevocationStore,
  SignIn,
  SignInReader,
  SignInStore,
} from './credentials.ts';
export type { Clock, Log, Random } from './environment.ts';
export type { SettingStore } from './settings.ts';
export type { AccountLookup, Stores, StoreTransaction } from './stores.ts';
export type { TeamStore } from './teams.ts';
export type { TrustRuleStates } from './trust-rule-states.ts';
