import { randomBytes, randomUUID } from 'node:crypto';
import { Audit, BreakGlass } from '@svc/auth-core';
import { createHasherPool } from '../hashing/password-hasher.ts';
import { commonPasswords } from '../passwords/common-passwords.ts';
import { CommandFailure, type FolderOptions, withStore } from './data-folder.ts';
import { type Terminal, terminalLog } from './terminal.ts';

export interface ResetPasswordOptions extends FolderOptions {
  readonly passwordStdin?: boolean;
}

/** `svc admin reset-password`: the password alone is printed on standard output. */
export function resetPassword(
  email: string,
  options: ResetPasswordOptions,
  terminal: Terminal,
): Promise<number> {
  const log = terminalLog(terminal);
  return withStore(options, terminal, async (stores, config) => {
    const given = options.passwordStdin ? (await terminal.input()).replace(/\r?\n$/, '') : undefined;
    const clock = { now: Date.now };
    const random = { bytes: randomBytes, uuid: randomUUID };
    const hasher = createHasherPool(config.bcryptCost);
    try {
      const breakGlass = new BreakGlass({
        stores,
        clock,
        random,
        hasher,
        audit: new Audit(stores, clock, random),
        isCommonPassword: config.passwordBlocklist ? commonPasswords() : undefined,
      });
      const done = await breakGlass.resetPassword(email, given);
      if (done === undefined) throw new CommandFailure(`there is no account ${email}`);
      const { account, password } = done;
      log.info(
        `The password of ${account.email} (${account.role}) was reset and everything it had open ended.`,
      );
      if (account.status !== 'Active') log.warn('The account is Inactive: nobody can sign in with it.');
      if (given === undefined) {
        log.info('This temporary password is shown once; it expires after 7 days if it is not used:');
        terminal.out(`${password}\n`);
      }
      return 0;
    } finally {
      await hasher.close();
    }
  });
}
