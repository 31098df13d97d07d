import type Database from 'better-sqlite3';
import { shapeAfter } from './migration-history.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { differences, isSame, shapeOf } from './schema-shape.ts';

export interface Readiness {
  /** Whether the database can be read and, since the last failed write, also be written to. */
  readonly database: boolean;
  /** Whether the tables are those of this version. */
  readonly migrations: boolean;
}

/**
 * Returns a function that checks whether the database can be read and its tables are those of this version. The function
 * never throws. It is called often, so it compares the tables only after a process has changed the schema.
 */
export function readinessOf(database: Database.Database): () => Readiness {
  const schemaVersion = database.prepare<[], number>('pragma schema_version').pluck();
  let compared = schemaVersion.get();
  let fits = true;
  return () => {
    try {
      const version = schemaVersion.get();
      if (version !== compared) fits = isSame(differences(shapeOf(database), shapeAfter(MIGRATIONS)));
      compared = version;
      return { database: true, migrations: fits };
    } catch {
      return { database: false, migrations: false };
    }
  };
}
