import type { Account } from '@svc/auth-core';
import { ROLES, type Role, type Status } from '@svc/contract';
import { instant } from '@svc/module';
import { printRows, type Terminal, terminalLog } from '../terminal.ts';
import { type AdminOptions, givenPassword, type PasswordOptions, withBreakGlass } from './break-glass.ts';
import { CommandFailure } from './data-folder.ts';

export interface CreateOptions extends PasswordOptions {
  readonly role: Role;
  readonly name?: string;
}

export interface RoleOptions extends AdminOptions {
  readonly role: Role;
}

/**
 * Runs `svc admin list`, which prints one line per account with e-mail, role, status, last sign-in and a note on the
 * password.
 */
export function listAccounts(options: AdminOptions, terminal: Terminal): Promise<number> {
  return withBreakGlass(options, terminal, '', async (breakGlass) => {
    const accounts = breakGlass.accounts();
    if (options.json) printJson(accounts.map(described), terminal);
    else
      printRows(
        ['E-MAIL', 'ROLE', 'STATUS', 'LAST SIGN-IN', 'PASSWORD'],
        accounts.map((account) => {
          const { email, role, status, lastSignInAt } = account;
          return [email, role, status, instant(lastSignInAt) ?? 'never', noteOn(account)];
        }),
        terminal,
      );
    await terminal.drained?.();
    return 0;
  });
}

/** Runs `svc admin create`. Only the generated password goes to standard output, so that a script can read it. */
export async function createAccount(
  email: string,
  options: CreateOptions,
  terminal: Terminal,
): Promise<number> {
  const password = await givenPassword(options, terminal);
  const { role, name = email } = options;
  return withBreakGlass(options, terminal, '', async (breakGlass) => {
    const made = await breakGlass.create({ email, name, role, password });
    terminalLog(terminal).info(`The account ${made.account.email} (${role}) was created.`);
    printPassword(made.account, password === undefined ? made.password : null, options, terminal);
    return 0;
  });
}

/** Runs `svc admin reset-password`. Only the new password goes to standard output, so that a script can read it. */
export async function resetPassword(
  email: string,
  options: PasswordOptions,
  terminal: Terminal,
): Promise<number> {
  const log = terminalLog(terminal);
  const given = await givenPassword(options, terminal);
  return withBreakGlass(options, terminal, noAccount(email), async (breakGlass) => {
    const { account, password } = await breakGlass.resetPassword(email, given);
    log.info(
      `The password of ${account.email} (${account.role}) was reset, and all its sign-ins and connections ended.`,
    );
    if (account.status !== 'Active')
      log.warn(
        'The account is Inactive, so signing in with it is refused until you run `svc admin activate`.',
      );
    printPassword(account, given === undefined ? password : null, options, terminal);
    return 0;
  });
}

/**
 * Runs `svc admin promote` or `svc admin demote`. It succeeds if the account already has the role, and fails if
 * `promote` would lower the role or `demote` would raise it.
 */
export function setRole(
  command: 'promote' | 'demote',
  email: string,
  options: RoleOptions,
  terminal: Terminal,
): Promise<number> {
  const { role } = options;
  const mayChange = (account: Account) => {
    const difference = ROLES.indexOf(role) - ROLES.indexOf(account.role);
    if (command === 'promote' ? difference < 0 : difference > 0)
      throw new CommandFailure(
        `${account.email} is ${account.role}: use \`svc admin ${command === 'promote' ? 'demote' : 'promote'}\``,
      );
  };
  return withBreakGlass(options, terminal, noAccount(email), (breakGlass) => {
    const { account, changed } = breakGlass.setRole(command, email, role, mayChange);
    return done(account, changed, `is ${account.role}`, options, terminal);
  });
}

/** Runs `svc admin activate` or `svc admin deactivate`. */
export function setStatus(
  command: 'activate' | 'deactivate',
  email: string,
  options: AdminOptions,
  terminal: Terminal,
): Promise<number> {
  const status: Status = command === 'activate' ? 'Active' : 'Inactive';
  return withBreakGlass(options, terminal, noAccount(email), (breakGlass) => {
    const { account, changed } = breakGlass.setStatus(command, email, status);
    return done(account, changed, `is ${account.status}`, options, terminal);
  });
}

function done(
  account: Account,
  changed: boolean,
  what: string,
  { json }: AdminOptions,
  terminal: Terminal,
): number {
  const { info, warn } = terminalLog(terminal);
  info(`${account.email} ${what}${changed ? ' now' : ' already'}.`);
  if (account.status === 'Inactive' && !what.endsWith('Inactive'))
    warn('The account is Inactive, so signing in with it is refused until you run `svc admin activate`.');
  if (json) printJson({ ...described(account), changed }, terminal);
  return 0;
}

function printPassword(
  account: Account,
  password: string | null,
  { json }: AdminOptions,
  terminal: Terminal,
): void {
  if (password !== null)
    terminalLog(terminal).info(
      'This temporary password is shown only now. It expires after 7 days unless it is used:',
    );
  const made = password === null ? {} : { temporaryPassword: password };
  if (json) printJson({ ...described(account), ...made }, terminal);
  else if (password !== null) terminal.out(`${password}\n`);
}

/** @returns the account with the fields that `GET /users` shows, and whether its password has to be changed */
function described(account: Account) {
  const { id, email, name, role, status, teams, createdAt, lastSignInAt } = account;
  return {
    ...{ id, email, name, role, status, teams },
    createdAt: instant(createdAt),
    lastSignInAt: instant(lastSignInAt),
    passwordChangeRequired: account.temporaryPasswordUntil !== null || account.defaultPassword,
  };
}

function noteOn({ temporaryPasswordUntil, defaultPassword }: Account): string {
  if (defaultPassword) return 'built-in or weak password';
  return temporaryPasswordUntil === null ? '' : 'temporary password';
}

function noAccount(email: string): string {
  return `there is no account ${email}`;
}

export function printJson(value: unknown, { out }: Terminal): void {
  out(`${JSON.stringify(value, null, 2)}\n`);
}
