import { type Command, InvalidArgumentError } from 'commander';
import type { BackupOptions } from '../actions/backup.ts';
import type { FolderOptions } from '../actions/data-folder.ts';
import type { RestoreOptions } from '../actions/restore.ts';
import { type AddCommand, FOLDER } from './options.ts';

/** Adds `svc backup`, `svc backup list`, `svc backup verify` and `svc restore`. */
export const addBackup: AddCommand = (program, terminal, end) => {
  const backup = program
    .command('backup')
    .description('back up database, keys and apps of a server, also while it runs; prints the folder')
    .option(
      '--to <folder>',
      'folder of all backups (default: SVC_BACKUP_DIR, else backups in the data folder)',
    )
    .option('--keep <count>', 'keep this many backups of the same kind and remove older ones', wholeNumber)
    .option('--no-apps', 'leave out the files of the app library')
    .option('--scheduled', 'mark the backup as a scheduled one')
    .option(...FOLDER)
    .action(async (options: BackupOptions) => {
      const { backUp } = await import('../actions/backup.ts');
      end(backUp(options, terminal));
    });
  addList(backup, terminal, end);
  addVerify(backup, terminal, end);
  addRestore(program, terminal, end);
};

const addList: AddCommand = (backup: Command, terminal, end) => {
  backup
    .command('list')
    .description('list all backups, oldest first')
    .option('--to <folder>', 'folder of all backups')
    .option(...FOLDER)
    .action(async (_options: unknown, command: Command) => {
      const { printBackups } = await import('../actions/backup.ts');
      end(printBackups(command.optsWithGlobals<BackupOptions>(), terminal));
    });
};

const addVerify: AddCommand = (backup: Command, terminal, end) => {
  backup
    .command('verify')
    .description('read a whole backup; exits with 1 if it is damaged')
    .argument('<backup>', 'folder of the backup, its name, or `latest`')
    .option('--to <folder>', 'folder of all backups')
    .option(...FOLDER)
    .action(async (name: string, _options: unknown, command: Command) => {
      const { verify } = await import('../actions/backup.ts');
      end(verify(name, command.optsWithGlobals<BackupOptions>(), terminal));
    });
};

const addRestore: AddCommand = (program, terminal, end) => {
  program
    .command('restore')
    .description('restore a backup while no server runs; the replaced files are kept')
    .argument('<backup>', 'folder of the backup, its name, or `latest`')
    .option('--to <folder>', 'folder of all backups')
    .option('--yes', 'do not ask')
    .option(
      '--new-keys',
      'do not restore the signing keys; new ones are created, so all tokens become invalid',
    )
    .option(...FOLDER)
    .action(async (name: string, options: RestoreOptions & FolderOptions) => {
      const { restore } = await import('../actions/restore.ts');
      end(await restore(name, options, terminal));
    });
};

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d{1,4}$/.test(text) || value < 1)
    throw new InvalidArgumentError('It is a whole number of 1 or more.');
  return value;
}
