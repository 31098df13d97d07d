import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '@svc/auth-core';
import { isRecord } from '@svc/contract';
import type { DataPlace } from '../data-place.ts';
import { removeDurably, writeDurably } from '../durable-files.ts';
import { pruneBackups } from './backups.ts';
import { makeBackup } from './make-backup.ts';
import { restoreBackup } from './restore.ts';

const MARKER = 'upgrade.json';
const SUFFIX = 'failed-upgrade';

/**
 * Path of the file that names the backup of an unconfirmed upgrade. A restore removes this file. Otherwise, if the next
 * start failed, the server would replace the restored database by the backup that the file names.
 */
export function upgradeMarker({ dataDir }: Pick<DataPlace, 'dataDir'>): string {
  return join(dataDir, MARKER);
}

interface UpgradeGuardOptions {
  readonly place: DataPlace;
  /** Folder that contains all backups. */
  readonly dir: string;
  /** Number of backups of kind `upgrade` to keep. */
  readonly keep: number;
  /** Version of svc, which is written to the backup's manifest. */
  readonly version: string;
  readonly now: () => number;
  readonly log: Log;
}

/**
 * Makes a backup before an upgrade of the tables, and can restore it until the upgrade is confirmed. The upgrade is
 * confirmed when the server listens. From the backup until the confirmation, `upgrade.json` in the data folder names
 * the backup.
 */
export class UpgradeGuard {
  readonly #options: UpgradeGuardOptions;
  readonly #marker: string;

  constructor(options: UpgradeGuardOptions) {
    this.#options = options;
    this.#marker = upgradeMarker(options.place);
  }

  /**
   * Makes the backup. Call this before the tables change, and do not change them if it throws.
   * @returns a function that confirms the upgrade; call it if it turns out that the tables did not have to change
   */
  begin(): () => void {
    const { place, dir, keep, version, now, log } = this.#options;
    let folder: string;
    try {
      // If the marker file already exists, an earlier upgrade was killed before it changed anything. Remove this file,
      // because a restore of the backup that it names would lose what was stored since then.
      this.confirm();
      ({ folder } = makeBackup(place, { kind: 'upgrade', dir, withApps: false, now: now(), version }));
      writeDurably(this.#marker, `${JSON.stringify({ backup: folder })}\n`);
    } catch (error) {
      throw new Error(
        `The database has to change for this version, and no backup could be made in ${dir} before: ` +
          `${error instanceof Error ? error.message : String(error)}. Nothing was changed. Make room, name another ` +
          'folder with SVC_BACKUP_DIR, or go without with `svc upgrade --no-backup`.',
        { cause: error },
      );
    }
    log.info(`The database and the keys were backed up before the upgrade: ${folder}`);
    pruneBackups(dir, { kind: 'upgrade', dataDir: place.dataDir, keep });
    return () => this.confirm();
  }

  /** Whether there is an upgrade that is not confirmed yet. */
  get isOpen(): boolean {
    return existsSync(this.#marker);
  }

  /** Confirms the upgrade, so that it is not undone automatically any more. Throws if the marker cannot be removed. */
  confirm(): void {
    if (this.isOpen) removeDurably(this.#marker);
  }

  /**
   * Restores the database and the keys from the backup before the upgrade.
   * @returns false if that failed, in which case the reason is in the log
   */
  goBack(): boolean {
    const { place, log } = this.#options;
    try {
      const folder = backupOf(this.#marker);
      restoreBackup(place, folder, { suffix: SUFFIX, clears: [this.#marker] });
      log.warn(
        `The start after the upgrade failed: database and keys are again as they were before it (${folder}). ` +
          `What the upgrade made of them is kept as ${place.databaseFile}.${SUFFIX}`,
      );
      return true;
    } catch (error) {
      log.error(
        'The start after the upgrade failed, and the database and keys from before it could not be restored',
        {
          cause: String(error),
        },
      );
      return false;
    }
  }
}

function backupOf(marker: string): string {
  const content: unknown = JSON.parse(readFileSync(marker, 'utf8'));
  if (!isRecord(content) || typeof content.backup !== 'string') throw new Error(`${marker} names no backup`);
  return content.backup;
}
