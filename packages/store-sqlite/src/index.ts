export { openStore, type SqliteStore, type StoreOptions } from './open.ts';
export { SchemaMismatch } from './schema/schema-mismatch.ts';
