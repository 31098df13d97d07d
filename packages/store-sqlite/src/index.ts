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
