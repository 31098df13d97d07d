import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '@svc/settings';
import type { Terminal } from '../terminal.ts';
import { configOf, type FolderOptions } from './data-folder.ts';
import { removeTrialCopy, trialCopies } from './trial-copies.ts';

/** Pattern of the names of files that `svc restore` or a failed upgrade has moved aside. */
const ASIDE = /^(?:.+\.)(?:replaced-\d{8}T\d{9}Z|failed-upgrade)(?:-wal|-shm|-journal)?$/;

/**
 * Runs `svc leftovers`, which prints the paths of files that upgrades and restores have left behind, one per line. With
 * `--remove`, it also removes them.
 * @returns exit code 1 if `--remove` left a file because it is in use
 */
export function leftovers(
  options: FolderOptions & { readonly remove?: boolean },
  terminal: Terminal,
): number {
  const config = configOf(options, terminal);
  let stays = false;
  for (const copy of trialCopies(config.databaseFile)) {
    for (const file of copy.files) terminal.out(`${file}\n`);
    if (copy.isInUse) {
      stays = true;
      terminal.err(`${copy.file} is in use\n`);
    } else if (options.remove) removeTrialCopy(copy);
  }
  for (const path of asideOf(config)) {
    terminal.out(`${path}\n`);
    if (options.remove) rmSync(path, { recursive: true, force: true });
  }
  return options.remove && stays ? 1 : 0;
}

function asideOf({ dataDir, databaseFile }: Config): string[] {
  return [...new Set([dataDir, dirname(databaseFile)])]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter(
      (path) => ASIDE.test(path.slice(dirname(path).length + 1)) && isOurs(path, { dataDir, databaseFile }),
    )
    .sort();
}

/**
 * Checks whether a file belongs to this server. Outside the data folder, only a file whose name begins with the
 * database's name belongs to it.
 */
function isOurs(path: string, { dataDir, databaseFile }: Pick<Config, 'dataDir' | 'databaseFile'>): boolean {
  return dirname(path) === dataDir || path.startsWith(`${databaseFile}.`);
}
