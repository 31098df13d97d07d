import type { FolderOptions } from '../actions/data-folder.ts';
import type { CompromiseOptions, RotateOptions } from '../actions/keys.ts';
import { type AddCommand, FOLDER } from './options.ts';

export const addKeys: AddCommand = (program, terminal, end) => {
  const keys = program.command('keys').description('the keys that sign tokens');
  keys
    .command('list')
    .description('print which key signs, which one will, and which still verify')
    .option(...FOLDER)
    .action(async (options: FolderOptions) => {
      const { listKeys } = await import('../actions/keys.ts');
      end(await listKeys(options, terminal));
    });
  keys
    .command('rotate')
    .description(
      'publish a new key now and sign with it later; the old one verifies until its tokens have ended',
    )
    .option('--in <minutes>', 'how long it is published before it signs; 0: not at all', '15')
    .option(...FOLDER)
    .action(async (options: RotateOptions) => {
      const { rotateKeys } = await import('../actions/keys.ts');
      end(await rotateKeys(options, terminal));
    });
  keys
    .command('compromise')
    .description('a key was stolen: drop all keys at once, and with them every token and ticket')
    .option('--yes', 'without asking')
    .option(...FOLDER)
    .action(async (options: CompromiseOptions) => {
      const { dropKeys } = await import('../actions/keys.ts');
      end(await dropKeys(options, terminal));
    });
};
