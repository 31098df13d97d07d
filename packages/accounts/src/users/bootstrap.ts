import { type Account, LOCAL_ORIGIN, type Log, newAccessKey } from '@svc/auth-core';
import { DEFAULT_ADMIN_EMAIL, DEFAULT_ADMIN_PASSWORD } from '@svc/contract';
import { ConfigError } from '@svc/settings';
import {
  isPublishedPassword,
  isWeakFirstPassword,
  PUBLISHED_PASSWORDS,
  WEAK_CHARACTERS,
} from '../passwords/first-password.ts';
import { ownPassword, signOutEverywhere } from '../passwords/set-password.ts';
import type { PasswordTools } from '../ports/tools.ts';

export interface BootstrapOptions {
  readonly email: string | null;
  readonly password: string | null;
  /** Value of `SVC_BOOTSTRAP_RESET_PASSWORD`, which resets the password of the oldest active Super admin. */
  readonly resetPassword: boolean;
  /** Whether a hub (central server) manages this server. If so, published passwords are refused (contract 8.3). */
  readonly isNode: boolean;
}

interface Tools extends PasswordTools {
  readonly log: Log;
}

/**
 * Applies the start-up rules for the first account. Creates the account if the database is empty (specification 5.9.1),
 * and sets the password of a locked-out Super admin if the environment requests it (5.11). Warns at every start while
 * an account has the built-in password (contract 5) or a weak password from the environment (contract 4). On a node,
 * throws `ConfigError` before any change if an account has or would get a password that the documentation shows.
 * @returns a function that does what a start need not wait for, because it only adds an account and warnings: it
 * creates the account and warns. Until it has resolved, requests that need an account must wait
 */
export async function bootstrap(tools: Tools, options: BootstrapOptions): Promise<() => Promise<void>> {
  const { accounts } = tools.stores;
  const isFirstStart = accounts.isEmpty();
  const password = options.password ?? DEFAULT_ADMIN_PASSWORD;
  if (options.isNode) await refuseBuiltInPassword(tools, { ...options, isFirstStart, password });
  if (!isFirstStart && options.resetPassword) await resetSuperAdmin(tools, password);
  return async () => {
    if (isFirstStart) await createFirstAccount(tools, options.email ?? DEFAULT_ADMIN_EMAIL, password);
    else warnOfUnusedEmail(tools, options.email);
    await warnOfPasswords(tools, isFirstStart ? password : undefined);
  };
}

interface Start {
  readonly isFirstStart: boolean;
  readonly resetPassword: boolean;
  /** Password for the first account, or for the account whose password is reset. */
  readonly password: string;
}

/**
 * Throws `ConfigError` if an account of a node has, or would get, a password that the documentation shows. Anyone could
 * sign in to the node with such a password.
 */
async function refuseBuiltInPassword(tools: Tools, start: Start): Promise<void> {
  const { accounts } = tools.stores;
  const isGiven = start.isFirstStart || start.resetPassword;
  if (isGiven && isPublishedPassword(start.password))
    throw new ConfigError(
      'SVC_HUB_URL makes this server a node, and a node does not start with the built-in password or an example of ' +
        'the documentation. Set SVC_BOOTSTRAP_ADMIN_PASSWORD (or SVC_BOOTSTRAP_ADMIN_PASSWORD_FILE) to a password of ' +
        'your own',
    );
  const reset = start.resetPassword ? accounts.oldestActive('Super admin')?.id : undefined;
  for (const { id, email } of withDefaultPassword(tools)) {
    if (id === reset) continue;
    const published = await publishedPasswordOf(tools, id);
    if (published === undefined) continue;
    const which = published === DEFAULT_ADMIN_PASSWORD ? 'the built-in password' : 'an example password';
    throw new ConfigError(
      `SVC_HUB_URL makes this server a node, and ${email} still has ${which}. Run ` +
        `\`svc admin reset-password ${email}\`, or set SVC_BOOTSTRAP_ADMIN_PASSWORD and, for one start, ` +
        'SVC_BOOTSTRAP_RESET_PASSWORD=true',
    );
  }
}

function withDefaultPassword({ stores: { accounts } }: Tools): Account[] {
  if (!accounts.hasDefaultPassword()) return [];
  return accounts.list().filter(({ defaultPassword, status }) => defaultPassword && status === 'Active');
}

async function publishedPasswordOf({ stores, hasher }: Tools, id: string): Promise<string | undefined> {
  const hash = stores.accounts.passwordHash(id) ?? '';
  for (const password of PUBLISHED_PASSWORDS) if (await hasher.matches(password, hash)) return password;
  return undefined;
}

/**
 * Logs a warning for each active account that still has the built-in password or a weak password from the environment.
 * @param password password of the account that this start created, or undefined if this start created none
 */
async function warnOfPasswords(tools: Tools, password: string | undefined): Promise<void> {
  for (const { id, email } of withDefaultPassword(tools)) {
    const known = password ?? (await publishedPasswordOf(tools, id));
    tools.log.warn(warningFor(email, known));
  }
}

/**
 * Logs a warning if no account has the first account's address. Somebody who expects that account, such as in a data
 * folder that another server has used, would try in vain to sign in.
 */
function warnOfUnusedEmail({ stores, log }: Tools, email: string | null): void {
  if (email === null || stores.accounts.byEmail(email) !== undefined) return;
  log.warn(
    `SVC_BOOTSTRAP_ADMIN_EMAIL has no effect: the database already has accounts, and none of them is ${email}. ` +
      '`svc admin list` shows them, `svc admin create` adds one. For an empty lab, set SVC_DATA_DIR to another folder.',
  );
}

/**
 * @param password the account's password, or undefined if it is unknown, because only its hash is stored and no
 * published password has this hash
 * @returns the warning for the log
 */
function warningFor(email: string, password: string | undefined): string {
  if (password === DEFAULT_ADMIN_PASSWORD)
    return (
      'An account still has the built-in password. Sign in and change it, or set SVC_BOOTSTRAP_ADMIN_PASSWORD ' +
      'before the first start.'
    );
  const fault =
    password !== undefined && isPublishedPassword(password)
      ? 'an example that the documentation shows'
      : `a common one or has fewer than ${WEAK_CHARACTERS} characters`;
  return `The password that SVC_BOOTSTRAP_ADMIN_PASSWORD gave ${email} is ${fault}. Sign in and change it.`;
}

async function createFirstAccount(tools: Tools, email: string, password: string): Promise<void> {
  const { stores, clock, random, audit, log } = tools;
  const passwordHash = await tools.hasher.hash(password);
  stores.transaction((tx) => {
    // Another process may have created an account while the password was hashed.
    if (!tx.accounts.isEmpty()) return;
    const id = random.uuid();
    tx.accounts.insert({
      id,
      email,
      name: 'Super admin',
      role: 'Super admin',
      status: 'Active',
      accessKey: newAccessKey(random),
      passwordHash,
      temporaryPasswordUntil: null,
      defaultPassword: isWeakFirstPassword(password, tools.isCommonPassword),
      createdAt: clock.now(),
    });
    audit.record(tx, 'user_created', { ...LOCAL_ORIGIN, target: id, reason: 'first start' });
    log.info(`First start: created the Super admin ${email}`);
  });
}

async function resetSuperAdmin(tools: Tools, password: string): Promise<void> {
  const { stores, audit, log } = tools;
  const passwordHash = await tools.hasher.hash(password);
  const reset = stores.transaction((tx): Account | undefined => {
    const account = tx.accounts.oldestActive('Super admin');
    if (account === undefined) return undefined;
    tx.accounts.update(account.id, {
      ...ownPassword(password, passwordHash),
      defaultPassword: isWeakFirstPassword(password, tools.isCommonPassword),
    });
    signOutEverywhere(tx, account);
    audit.record(tx, 'authn_password_change', {
      ...LOCAL_ORIGIN,
      target: account.id,
      reason: 'SVC_BOOTSTRAP_RESET_PASSWORD',
    });
    return account;
  });
  if (reset === undefined)
    log.warn('SVC_BOOTSTRAP_RESET_PASSWORD is set, but there is no active Super admin');
  else {
    log.warn(
      `SVC_BOOTSTRAP_RESET_PASSWORD is set: the password of ${reset.email} was reset and its sign-ins ended. ` +
        'Remove the variable, or this happens at every start.',
    );
  }
}
