export { type LockHolder, lockHolder, type ProcessLock, takeProcessLock } from './connection/process-lock.ts';
export { openStore, type SqliteStore, type StoreOptions } from './open.ts';
export { SchemaMismatch } from './schema/schema-mismatch.ts';
