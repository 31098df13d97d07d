import type { FolderOptions } from '../actions/data-folder.ts';
import type { CompromiseOptions, RotateOptions } from '../actions/keys.ts';
import { type AddCommand, FOLDER } from './options.ts';

export const addKeys: AddCommand = (program, terminal, end) => {
  const keys = program.command('keys').description('manage the keys that sign tokens');
  keys
    .command('list')
    .description('print the current signing key, the next one and the old ones that still verify tokens')
    .option(...FOLDER)
    .action(async (options: FolderOptions) => {
      const { listKeys } = await import('../actions/keys.ts');
      end(await listKeys(options, terminal));
    });
  keys
    .command('rotate')
    .description(
      'publish a new key now and sign with it later; the old key verifies tokens until they have expired',
    )
    .option(
      '--in <minutes>',
      'minutes between publishing the key and signing with it; 0 signs immediately',
      '15',
    )
    .option(...FOLDER)
    .action(async (options: RotateOptions) => {
      const { rotateKeys } = await import('../actions/keys.ts');
      end(await rotateKeys(options, terminal));
    });
  keys
    .command('compromise')
    .description('replace all keys after one was stolen; every token and ticket becomes invalid immediately')
    .option('--yes', 'do not ask')
    .option(...FOLDER)
    .action(async (options: CompromiseOptions) => {
      const { dropKeys } = await import('../actions/keys.ts');
      end(await dropKeys(options, terminal));
    });
};
