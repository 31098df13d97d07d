import type { FolderOptions } from '../actions/data-folder.ts';
import { type AddCommand, FOLDER } from './options.ts';

export const addLeftovers: AddCommand = (program, terminal, end) => {
  program
    .command('leftovers')
    .description('list trial copies of the database and files that a restore replaced')
    .option('--remove', 'remove the files that are not in use')
    .option(...FOLDER)
    .action(async (options: FolderOptions & { readonly remove?: boolean }) => {
      const { leftovers } = await import('../actions/leftovers.ts');
      end(leftovers(options, terminal));
    });
};
