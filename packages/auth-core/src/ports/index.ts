/*
 * What the core needs from outside. Stores are synchronous: the database is SQLite in the same process, so a use
 * case without an `await` is one step for everyone else, and a transaction cannot be held open across one
 * (docs/decisions/0002). A store that cannot answer throws `Unavailable`; a taken unique value throws `Conflict`.
 *
 * Each store has two faces: a reader, at hand everywhere, and the store itself, which only a transaction gives out.
 */

export type { AccountChange, AccountPage, AccountReader, AccountStore, NewAccount } from './accounts.ts';
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
  ResetLink,
  ResetLinkStore,
  SignIn,
  SignInReader,
  SignInStore,
} from './credentials.ts';
export type { Clock, HashingPlace, Log, PasswordHasher, Random } from './environment.ts';
export type { SettingStore } from './settings.ts';
export type { AccountLookup, Readers, Stores, StoreTransaction } from './stores.ts';
export type { TeamStore } from './teams.ts';
