// The database: all stores on one SQLite file.
//
// `schema/` creates and migrates the tables and checks them at start, `stores/` has the queries, one store per file,
// `connection/` opens and locks the file, `cache/` keeps rows in memory, consistent with what other processes write.
//
// Not here: the interfaces of the stores, which are in the package of each subject (accounts, auth-core, device-lab, nodes,
// webhooks), and other files (data-folder).

export { makeFolder, openNewFile, writeDraft } from './connection/private-file.ts';
export { type LockHolder, lockHolder, type ProcessLock, takeProcessLock } from './connection/process-lock.ts';
export { openStore, type SqliteStore, type StoreOptions } from './open.ts';
export {
  type CheckedDatabase,
  checkDatabase,
  copyDatabase,
  isDatabaseInUse,
} from './schema/copy-database.ts';
export { type MismatchKind, SchemaMismatch } from './schema/schema-mismatch.ts';
export { type Trial, tryUpgrade } from './schema/trial.ts';
