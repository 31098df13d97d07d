import { existsSync } from 'node:fs';
import { type Config, readConfig } from '@svc/auth-core';
import { openStore, SchemaMismatch, type SqliteStore } from '@svc/store-sqlite';
import { auditKeyFile, prepareDataDir } from '../data-dir.ts';
import { processSources } from '../settings.ts';
import { type Terminal, terminalLog } from './terminal.ts';

/** A failure to report to the person at the terminal. */
export class CommandFailure extends Error {}

export interface FolderOptions {
  /** `--data-dir`, in place of `SVC_DATA_DIR` and `SVC_DATABASE_URL`. */
  readonly dataDir?: string | undefined;
}

function configOf({ dataDir }: FolderOptions, { env }: Terminal): Config {
  const named = dataDir === undefined ? {} : { SVC_DATA_DIR: dataDir, SVC_DATABASE_URL: undefined };
  return readConfig({ ...processSources(), env: { ...env, ...named } }).config;
}

/** Opens the database beside the server that may be running on it, and leaves its tables as they are. */
export async function withStore<T>(
  options: FolderOptions,
  terminal: Terminal,
  work: (stores: SqliteStore, config: Config) => T | Promise<T>,
): Promise<T> {
  const config = configOf(options, terminal);
  if (!existsSync(config.databaseFile)) throw new CommandFailure(nothingAt(config));
  return await opened(config, terminal, false, work);
}

/** Brings the tables up to date. `mayCreate` is asked when there is no database. */
export async function migrate(
  options: FolderOptions,
  terminal: Terminal,
  mayCreate: (file: string) => Promise<boolean | undefined>,
): Promise<void> {
  const config = configOf(options, terminal);
  const { databaseFile } = config;
  if (!existsSync(databaseFile)) {
    const answer = await mayCreate(databaseFile);
    if (answer === undefined)
      throw new CommandFailure(`${nothingAt(config)} To make a new one there: --yes.`);
    if (!answer) throw new CommandFailure('Nothing was made.');
    prepareDataDir(config.dataDir);
  }
  await opened(config, terminal, true, () => undefined);
}

function nothingAt({ databaseFile }: Config): string {
  return (
    `There is no database at ${databaseFile}. Name the data folder of the server with --data-dir <folder> or ` +
    'SVC_DATA_DIR.'
  );
}

async function opened<T>(
  config: Config,
  terminal: Terminal,
  autoMigrate: boolean,
  work: (stores: SqliteStore, config: Config) => T | Promise<T>,
): Promise<T> {
  const log = terminalLog(terminal);
  const clock = { now: Date.now };
  const { databaseFile: file, dataDir } = config;
  const options = { file, auditKeyFile: auditKeyFile(dataDir), clock, log, autoMigrate };
  const stores = await openStore(options).catch((error) => {
    // The message is for a server whose operator switched migrations off; no command migrates in passing.
    if (error instanceof SchemaMismatch && error.isBehind) {
      throw new CommandFailure(
        `The database at ${file} is not up to date with this version. Run \`svc migrate\`, or start ` +
          'the server once.',
      );
    }
    throw error;
  });
  try {
    return await work(stores, config);
  } finally {
    stores.close();
  }
}
