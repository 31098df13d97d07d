import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach } from 'vitest';
import { runCli } from '../src/program.ts';

export interface CommandPlace {
  readonly dataDir: string;
  readonly databaseFile: string;
  /** Runs a command of `svc` as if there were no terminal, so that it cannot ask for confirmation. */
  svc(...args: string[]): Promise<{ code: number; out: string; err: string }>;
}

/**
 * Gives each test a data folder.
 * @returns a function that returns the folder of the running test
 */
export function eachTestItsFolder(): () => CommandPlace {
  const folders: string[] = [];
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });
  let dataDir: string;
  beforeEach(() => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-backup-'));
    folders.push(folder);
    dataDir = join(folder, 'data');
    mkdirSync(dataDir);
  });
  return () => ({ dataDir, databaseFile: join(dataDir, 'svc.db'), svc: (...args) => svc(dataDir, args) });
}

async function svc(dataDir: string, args: readonly string[]) {
  let out = '';
  let err = '';
  const code = await runCli(args, {
    env: { SVC_DATA_DIR: dataDir },
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    input: async () => '',
    confirm: async () => undefined,
  });
  return { code, out, err };
}

/** Opens the database directly with SQLite, bypassing the stores. */
export async function rawDatabase(file: string) {
  const Database = createRequire(createRequire(import.meta.url).resolve('@svc/store-sqlite'))(
    'better-sqlite3',
  );
  return new Database(file);
}
