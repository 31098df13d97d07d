import { rmSync } from 'node:fs';
import type { Log } from '@svc/auth-core';
import type Database from 'better-sqlite3';
import { openDatabase } from '../connection/held-database.ts';
import { takeProcessLock } from '../connection/process-lock.ts';
import { copyDatabase } from './copy-database.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { SchemaMismatch } from './schema-mismatch.ts';
import { planFor, type SchemaPlan } from './schema-plan.ts';
import { RENAMED_TABLES } from './schema-push.ts';
import { shapeOf } from './schema-shape.ts';
import { type SchemaChoices, synchroniseSchema } from './synchronise.ts';

export interface TrialOptions extends Pick<SchemaChoices, 'acceptLoss'> {
  /**
   * Path at which the copy is created. The copy is removed after the trial. A lock file beside it shows that it is in
   * use.
   */
  readonly copy: string;
  readonly log: Log;
}

/** Result of trying an upgrade on a copy of the database. */
export interface Trial {
  readonly step: SchemaPlan['step'];
  readonly pending: readonly string[];
  /** Descriptions of the changes, one line each. */
  readonly changes: readonly string[];
  readonly rows: readonly {
    readonly table: string;
    readonly before: number;
    readonly after: number | null;
  }[];
  readonly tookMs: number;
  /** Message of the error with which the server would refuse to start after this upgrade, or null if it would start. */
  readonly problem: string | null;
}

/** Tries the upgrade of a database on a copy, in the same way as a start would run it. */
export async function tryUpgrade(
  file: string,
  { copy, log, acceptLoss = false }: TrialOptions,
): Promise<Trial> {
  const lock = takeProcessLock(`${copy}.lock`);
  if (lock === null) throw new Error(`${copy} is in use`);
  try {
    copyDatabase(file, copy);
    return await tryOn(copy, { log, acceptLoss });
  } finally {
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(`${copy}${end}`, { force: true });
    lock.release();
    rmSync(`${copy}.lock`, { force: true });
  }
}

async function tryOn(copy: string, { log, acceptLoss }: { log: Log; acceptLoss: boolean }): Promise<Trial> {
  const database = openDatabase(copy);
  try {
    const { step, pending, differences } = planFor(database, MIGRATIONS);
    const before = rowsIn(database);
    const began = performance.now();
    const rules = { autoMigrate: true, log, acceptLoss };
    const problem = await synchroniseSchema(database, rules).then(() => null, messageOf);
    const tookMs = performance.now() - began;
    const after = rowsIn(database);
    return {
      step,
      pending,
      changes: changesOf(differences),
      rows: [...before].map(([table, count]) => ({
        table,
        before: count,
        after: after.get(table) ?? after.get(RENAMED_TABLES[table] ?? '') ?? null,
      })),
      tookMs,
      problem,
    };
  } finally {
    database.close();
  }
}

function messageOf(error: unknown): string {
  if (error instanceof SchemaMismatch) return error.message;
  throw error;
}

function rowsIn(database: Database.Database): Map<string, number> {
  const tables = [...shapeOf(database).tables.keys()].sort();
  const count = (table: string) =>
    database
      .prepare<[], number>(`select count(*) from "${table.replaceAll('"', '""')}"`)
      .pluck()
      .get() ?? 0;
  return new Map(tables.map((table) => [table, count(table)]));
}

function changesOf(differences: SchemaPlan['differences']): string[] {
  const { missingTables, extraTables, missingColumns, extraColumns, missingIndexes, changedTables } =
    differences;
  const named = new Set([...missingColumns, ...extraColumns].map(({ table }) => table));
  const nowNamed = (table: string) => RENAMED_TABLES[table];
  const renamed = extraTables.filter((table) => missingTables.includes(nowNamed(table) ?? ''));
  return [
    ...renamed.map((table) => `table ${table} becomes ${nowNamed(table)}`),
    ...missingTables
      .filter((table) => !renamed.some((before) => nowNamed(before) === table))
      .map((table) => `new table ${table}`),
    ...extraTables.filter((table) => !renamed.includes(table)).map((table) => `table ${table} goes`),
    ...missingColumns.map(({ table, column }) => `new column ${table}.${column}`),
    ...extraColumns.map(({ table, column }) => `column ${table}.${column} goes`),
    ...changedTables.filter((table) => !named.has(table)).map((table) => `table ${table} is rebuilt`),
    ...missingIndexes.map((index) => `new index ${index}`),
  ];
}
