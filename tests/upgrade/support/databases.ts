import { execFileSync } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('../../../scripts/release-database.mjs', import.meta.url));

/** Creates a database as a release leaves it, in a data folder. */
export function makeRelease(release: string, dataDir: string, args: readonly string[] = []): void {
  execFileSync(process.execPath, [SCRIPT, release, join(dataDir, 'svc.db'), ...args]);
}

interface Raw {
  exec(sql: string): void;
  prepare(sql: string): { all(): Record<string, unknown>[]; get(): Record<string, unknown> | undefined };
  close(): void;
}

/** Opens the file with SQLite, even if others have it open. */
export function rawDatabase(dataDir: string): Raw {
  const Database = createRequire(createRequire(import.meta.url).resolve('@svc/store-sqlite'))(
    'better-sqlite3',
  );
  return new Database(join(dataDir, 'svc.db'));
}

/** Columns that every release has. */
const TOKEN_COLUMNS = 'id, owner_id, hash, kind, name, scopes, expires_at';

/** @returns the rows that no start changes on its own, and the history */
export function contentOf(dataDir: string): { rows: unknown; history: string[] | null; isWhole: boolean } {
  const raw = rawDatabase(dataDir);
  try {
    const has = (table: string) =>
      raw.prepare(`select 1 from sqlite_schema where name = '${table}'`).get() !== undefined;
    const devices = has('DeviceSetting') ? 'DeviceSetting' : 'phone_settings';
    return {
      rows: {
        accounts: raw.prepare('select id, email, role, status, access_key from accounts order by id').all(),
        tokens: raw.prepare(`select ${TOKEN_COLUMNS} from api_tokens order by id`).all(),
        teams: raw.prepare('select * from team_members order by 1, 2').all(),
        devices: raw.prepare(`select udid, name, team_id, tags from "${devices}" order by udid`).all(),
        sessions: raw.prepare('select id, name, owner_id from driver_sessions order by id').all(),
        locators: raw.prepare('select id, selector from "LocatorEtalon" order by id').all(),
      },
      history: has('kysely_migration')
        ? raw
            .prepare('select name from kysely_migration order by name')
            .all()
            .map(({ name }) => String(name))
        : null,
      isWhole: raw.prepare('pragma integrity_check').get()?.integrity_check === 'ok',
    };
  } finally {
    raw.close();
  }
}

/** Replaces the database by another one that was never opened. */
export function putDatabase(original: string, dataDir: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(join(dataDir, `svc.db${end}`), { force: true });
  copyFileSync(join(original, 'svc.db'), join(dataDir, 'svc.db'));
}
