import type { UpgradeOptions } from '../actions/upgrade.ts';
import { type AddCommand, FOLDER } from './options.ts';

/** Adds `svc upgrade`, and `svc migrate`, which the start-up message recommends. */
export const addUpgrade: AddCommand = (program, terminal, end) => {
  program
    .command('upgrade')
    .description('bring the database tables up to date while no server runs, after a backup')
    .option('--plan', 'change nothing: print what would change, tried on a copy; also while the server runs')
    .option('--json', 'the plan as JSON')
    .option('--accept-loss', 'let data go that this version has no place for')
    .option('--baseline', 'write the migration history of tables that fit and have none')
    .option('--no-backup', 'make no backup before')
    .option('--yes', 'make a database where there is none, without asking')
    .option(...FOLDER)
    .action(async (options: UpgradeOptions & { readonly plan?: boolean }) => {
      const { printPlan, upgrade } = await import('../actions/upgrade.ts');
      end(options.plan ? await printPlan(options, terminal) : await upgrade(options, terminal));
    });
  program
    .command('migrate')
    .description('the same as `svc upgrade`')
    .option('--yes', 'make a database where there is none, without asking')
    .option(...FOLDER)
    .action(async (options: UpgradeOptions) => {
      const { upgrade } = await import('../actions/upgrade.ts');
      end(await upgrade({ ...options, backup: true }, terminal));
    });
};
