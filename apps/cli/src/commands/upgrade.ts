import type { UpgradeOptions } from '../actions/upgrade.ts';
import { type AddCommand, FOLDER } from './options.ts';

type PlanOptions = UpgradeOptions & { readonly plan?: boolean };

/** Adds the command `svc upgrade`, and `svc migrate`, which does the same with fewer options. */
export const addUpgrade: AddCommand = (program, terminal, end) => {
  program
    .command('upgrade')
    .description('make a backup, then change the database tables to this version; no server may run')
    .option(
      '--plan',
      'change nothing: try the upgrade on a copy and print what would change; works while the server runs',
    )
    .option('--json', 'print the plan as JSON')
    .option('--accept-loss', 'delete data that this version does not store')
    .option('--baseline', 'write the migration history of tables that match this version but have no history')
    .option('--no-backup', 'do not make a backup first')
    .option('--yes', 'create the database if there is none, without asking')
    .option(...FOLDER)
    .action(async (options: PlanOptions) => {
      const { printPlan, upgrade } = await import('../actions/upgrade.ts');
      end(options.plan ? await printPlan(options, terminal) : await upgrade(options, terminal));
    });
  program
    .command('migrate')
    .description('the same as `svc upgrade`')
    .option('--plan', 'change nothing: try the migrations on a copy and print which ones would run')
    .option('--json', 'print the plan as JSON')
    .option('--yes', 'create the database if there is none, without asking')
    .option(...FOLDER)
    .action(async (options: PlanOptions) => {
      const { printPlan, upgrade } = await import('../actions/upgrade.ts');
      const isPlan = options.plan === true;
      end(await (isPlan ? printPlan(options, terminal) : upgrade({ ...options, backup: true }, terminal)));
    });
};
