import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord, type Log } from '@svc/auth-core';
import type { DataPlace } from '../data-place.ts';
import { pruneBackups } from './backups.ts';
import { removeDurably, writeDurably } from './durable-files.ts';
import { makeBackup } from './make-backup.ts';
import { restoreBackup } from './restore.ts';

const MARKER = 'upgrade.json';
const SUFFIX = 'failed-upgrade';

/** Whoever puts another database in place removes it: what it names is no way back from that one. */
export function upgradeMarker({ dataDir }: Pick<DataPlace, 'dataDir'>): string {
  return join(dataDir, MARKER);
}

interface UpgradeGuardOptions {
  readonly place: DataPlace;
  /** Folder of all backups. */
  readonly dir: string;
  /** How many backups before an upgrade are kept. */
  readonly keep: number;
  /** Version of svc, for the manifest. */
  readonly version: string;
  readonly now: () => number;
  readonly log: Log;
}

/**
 * An upgrade of the tables counts once the server answers: until then its data can go back to the backup made before.
 * `upgrade.json` in the data folder names that backup from before the change until the server listens.
 */
export class UpgradeGuard {
  readonly #options: UpgradeGuardOptions;
  readonly #marker: string;

  constructor(options: UpgradeGuardOptions) {
    this.#options = options;
    this.#marker = upgradeMarker(options.place);
  }

  /** Before the tables change. A throw stops the change. What it answers is called when they have not changed after all. */
  begin(): () => void {
    const { place, dir, keep, version, now, log } = this.#options;
    let folder: string;
    try {
      // Of an upgrade that was killed before it changed anything; others may have used the data since.
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

  /** Whether an upgrade waits for the first answer of the server. */
  get isOpen(): boolean {
    return existsSync(this.#marker);
  }

  /** The server answers from here on; nothing goes back by itself. Throws rather than let it go on unmarked. */
  confirm(): void {
    if (this.isOpen) removeDurably(this.#marker);
  }

  /** The database and the keys as they were before the upgrade. False: they could not be put back, the log says why. */
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
      log.error('The start after the upgrade failed, and what was before it could not be put back', {
        cause: String(error),
      });
      return false;
    }
  }
}

function backupOf(marker: string): string {
  const content: unknown = JSON.parse(readFileSync(marker, 'utf8'));
  if (!isRecord(content) || typeof content.backup !== 'string') throw new Error(`${marker} names no backup`);
  return content.backup;
}
