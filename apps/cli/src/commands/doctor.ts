import type { DoctorOptions } from '../actions/doctor.ts';
import { type AddCommand, FOLDER } from './options.ts';

export const addDoctor: AddCommand = (program, terminal, end) => {
  program
    .command('doctor')
    .description(
      'check this host for faults and unsafe settings, and print how to correct them; exits with 1 if a check fails',
    )
    .option('--url <address>', 'address of the running server (default: the one in its lock file)')
    .option('--base-path <path>', 'base path of Appium', '')
    .option(
      '--log <file>',
      'log file of the server; sends a create-session request with made-up secrets and searches the file for them',
    )
    .option('--json', 'print JSON: {ok, findings: [{check, outcome, message, fix}]}')
    .option(...FOLDER)
    .action(async (options: DoctorOptions) => {
      const { doctor } = await import('../actions/doctor.ts');
      end(await doctor(options, terminal));
    });
};
