import type Database from 'better-sqlite3';
import { differences, isSame, type Shape, shapeOf } from './schema-shape.ts';

export interface Readiness {
  readonly database: boolean;
  /** Whether the tables are those of this version. */
  readonly migrations: boolean;
}

/**
 * Creates a function that checks the database and never throws. The function is called often, so it compares the tables
 * with `wanted` only after a process has changed a table.
 */
export function readinessOf(database: Database.Database, wanted: Shape): () => Readiness {
  const schemaVersion = database.prepare<[], number>('pragma schema_version').pluck();
  let compared = schemaVersion.get();
  let fits = true;
  return () => {
    try {
      const version = schemaVersion.get();
      if (version !== compared) fits = isSame(differences(shapeOf(database), wanted));
      compared = version;
      return { database: true, migrations: fits };
    } catch {
      return { database: false, migrations: false };
    }
  };
}
