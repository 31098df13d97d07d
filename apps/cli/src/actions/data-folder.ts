import { existsSync } from 'node:fs';
import { processSources } from '@svc/api/host.js';
import type { Log } from '@svc/auth-core';
import { auditKeyFile, isRestorePending, startFailure } from '@svc/data-folder';
import { type Config, readConfig } from '@svc/settings';
import { openStore, SchemaMismatch, type SqliteStore, type StoreOptions } from '@svc/store-sqlite';
import { type Terminal, terminalLog } from '../terminal.ts';

/** Failure of a command. Its message is printed for the person at the terminal. */
export class CommandFailure extends Error {}

export interface FolderOptions {
  /** Value of `--data-dir`, which replaces `SVC_DATA_DIR` and `SVC_DATABASE_URL`. */
  readonly dataDir?: string | undefined;
}

/** Reads the settings from the same sources as the server does. */
export function configOf({ dataDir }: FolderOptions, { env }: Terminal): Config {
  const named = dataDir === undefined ? {} : { SVC_DATA_DIR: dataDir, SVC_DATABASE_URL: undefined };
  return readConfig({ ...processSources(), env: { ...env, ...named } }).config;
}

/** Opens the database for `work`, even while a server uses it. Does not change the tables. */
export async function withStore<T>(
  options: FolderOptions,
  terminal: Terminal,
  work: (stores: SqliteStore, config: Config) => T | Promise<T>,
): Promise<T> {
  const config = existingData(options, terminal);
  const opening = openFolder(config, terminalLog(terminal), { autoMigrate: false });
  const stores = await opening.catch((error) => {
    // Replaces the message of this error, which is written for a server whose migrations are switched off. Commands of
    // this program never change the tables implicitly, whatever that setting is.
    if (error instanceof SchemaMismatch && error.kind === 'behind') {
      throw new CommandFailure(
        `The database at ${config.databaseFile} is not up to date with this version. Run \`svc upgrade\`, or start ` +
          'the server once.',
      );
    }
    throw startFailure(error, config);
  });
  try {
    return await work(stores, config);
  } catch (error) {
    throw startFailure(error, config);
  } finally {
    stores.close();
  }
}

/**
 * Reads the settings of a folder for a command that needs its data.
 * @throws CommandFailure if the folder has no database or a restore of it was interrupted
 */
export function existingData(options: FolderOptions, terminal: Terminal): Config {
  const config = configOf(options, terminal);
  if (isRestorePending(config))
    throw new CommandFailure(
      'A restore was interrupted. Start the server or run `svc restore` again to complete it.',
    );
  if (!existsSync(config.databaseFile)) throw new CommandFailure(nothingAt(config));
  return config;
}

export function nothingAt({ databaseFile }: Config): string {
  return (
    `There is no database at ${databaseFile}. Name the data folder of the server with --data-dir <folder> or ` +
    'SVC_DATA_DIR.'
  );
}

/** Opens the store of a folder as the server does. */
export function openFolder(
  { databaseFile: file, dataDir }: Config,
  log: Log,
  options: Pick<StoreOptions, 'autoMigrate' | 'acceptLoss' | 'baseline' | 'beforeChange'>,
): Promise<SqliteStore> {
  return openStore({ file, auditKeyFile: auditKeyFile(dataDir), clock: { now: Date.now }, log, ...options });
}
