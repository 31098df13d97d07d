import {
  canOthersRead,
  finishRestore,
  keyMismatch,
  readManifest,
  restoreBackup,
  ServerLock,
  stampOf,
  upgradeMarker,
  withKeyLock,
} from '@svc/data-folder';
import { makeFolder } from '@svc/store-sqlite';
import { type Terminal, terminalLog } from '../terminal.ts';
import { type BackupOptions, backupNamed } from './backup.ts';
import { CommandFailure, configOf } from './data-folder.ts';

export interface RestoreOptions extends BackupOptions {
  readonly yes?: boolean;
  /** Whether to leave out the signing keys of the backup, so that the next start creates new ones. */
  readonly newKeys?: boolean;
}

/**
 * Runs `svc restore`, which replaces the database and the keys by those of a backup. Fails if a server is running on
 * the data.
 */
export async function restore(name: string, options: RestoreOptions, terminal: Terminal): Promise<number> {
  const config = configOf(options, terminal);
  const folder = backupNamed(name, options, config);
  const { createdAt, version, dataDir, files } = readManifest(folder);
  const { newKeys = false } = options;
  const question = `Replace ${config.databaseFile} with the data of ${dataDir} from ${createdAt} (svc ${version})?`;
  const answer = options.yes ? true : await terminal.confirm(question);
  if (answer === undefined) throw new CommandFailure(`${question} Use --yes to confirm without a prompt.`);
  if (!answer) throw new CommandFailure('Nothing was changed.');
  makeFolder(config.dataDir);
  const lock = await ServerLock.take(config);
  try {
    finishRestore(config);
    const suffix = `replaced-${stampOf(Date.now())}`;
    const check = () => newKeys || refuseMixedKeys(folder, terminal);
    const how = { suffix, clears: [upgradeMarker(config)], newKeys, check };
    // Holds the lock of the keys, because a rotation at the same time would mix its files with those of the backup.
    await withKeyLock(config.dataDir, () => restoreBackup(config, folder, how));
    terminal.out(`${config.databaseFile} was restored to its state of ${createdAt}.\n`);
    terminal.err(
      `The replaced files are kept under the same names with .${suffix}; see \`svc leftovers\`.\n`,
    );
    const names = files.map(({ path }) => path);
    if (canOthersRead(folder, names))
      terminal.err(`Other users of this host can read the backup. Run chmod -R go= '${folder}'\n`);
    return 0;
  } finally {
    lock.release();
  }
}

/**
 * Refuses a backup whose two key files do not belong together. A backup of an earlier version can contain such files,
 * because these versions could copy one file before and the other one after a change of the keys.
 */
function refuseMixedKeys(folder: string, terminal: Terminal): void {
  const mismatch = keyMismatch(folder, terminalLog(terminal));
  if (mismatch === null) return;
  throw new CommandFailure(
    `The signing keys of ${folder} do not match: ${mismatch}. Nothing was changed. Restore another backup, ` +
      'or restore this one with --new-keys, which creates new signing keys, so that every token and ticket becomes invalid.',
  );
}
