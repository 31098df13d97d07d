import type { DoctorOptions } from '../actions/doctor.ts';
import { type AddCommand, FOLDER } from './options.ts';

export const addDoctor: AddCommand = (program, terminal, end) => {
  program
    .command('doctor')
    .description(
      'look for what is wrong or unsafe on this host, and say what to do; exits with 1 when something fails',
    )
    .option('--url <address>', 'of the running server (default: what it says itself)')
    .option('--base-path <path>', "the automation server's", '')
    .option(
      '--log <file>',
      'the file the server logs to: a create with made-up secrets is sent, and they are looked for',
    )
    .option('--json', 'as JSON: {ok, findings: [{check, outcome, message, fix}]}')
    .option(...FOLDER)
    .action(async (options: DoctorOptions) => {
      const { doctor } = await import('../actions/doctor.ts');
      end(await doctor(options, terminal));
    });
};
