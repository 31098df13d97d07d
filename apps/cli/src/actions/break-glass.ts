import { randomBytes, randomUUID } from 'node:crypto';
import { BreakGlass } from '@svc/accounts';
import { commonPasswords, startHasher } from '@svc/api/host.js';
import { Audit, Cascade, type Clock, Conflict, Refusal } from '@svc/auth-core';
import type { ErrorCode } from '@svc/contract';
import type { Terminal } from '../terminal.ts';
import { CommandFailure, type FolderOptions, withStore } from './data-folder.ts';

export interface AdminOptions extends FolderOptions {
  readonly json?: boolean;
}

export interface PasswordOptions extends AdminOptions {
  readonly passwordStdin?: boolean;
}

/**
 * Opens the data folder, runs `work`, and turns the refusals that `work` throws into error messages for the terminal.
 * @param nothingFound error message for an account or token that does not exist
 */
export function withBreakGlass(
  options: AdminOptions,
  terminal: Terminal,
  nothingFound: string,
  work: (breakGlass: BreakGlass) => number | Promise<number>,
): Promise<number> {
  return withStore(options, terminal, async (stores, config) => {
    const clock: Clock = { now: Date.now };
    const random = { bytes: randomBytes, uuid: randomUUID };
    const hasher = startHasher(config.bcryptCost);
    const audit = new Audit(stores, clock, random);
    const isCommonPassword = config.passwordBlocklist ? commonPasswords() : undefined;
    try {
      const { revocationCascade: always, mcpTokenTtl: mcpLifetime } = config;
      const cascade = new Cascade({ clock, always, mcpLifetime });
      return await work(new BreakGlass({ stores, clock, random, hasher, audit, isCommonPassword, cascade }));
    } catch (error) {
      const code = error instanceof Refusal ? error.code : error instanceof Conflict ? 'conflict' : undefined;
      throw code === undefined ? error : new CommandFailure(sentenceOf(code, nothingFound));
    }
  });
}

/**
 * Reads the password from standard input if `--password-stdin` is given. A password is never an argument, because other
 * users of the host can read the arguments of a process.
 */
export async function givenPassword(
  { passwordStdin }: PasswordOptions,
  { input }: Terminal,
): Promise<string | undefined> {
  return passwordStdin ? (await input()).replace(/\r?\n$/, '') : undefined;
}

const SENTENCES: Partial<Record<ErrorCode, string>> = {
  conflict: 'another account already has this e-mail address',
  invalid_email: 'this is not an e-mail address',
  invalid_name: 'a name has 1 to 100 characters, none of them a control character',
  last_super_admin:
    'the last active Super admin cannot be changed. Create another one first with --role "Super admin" of ' +
    '`svc admin create` or `svc admin promote`',
};

function sentenceOf(code: ErrorCode, nothingFound: string): string {
  return code === 'not_found' ? nothingFound : (SENTENCES[code] ?? code);
}
