import { DEFAULT_ADMIN_EMAIL, DEFAULT_ADMIN_PASSWORD } from '@svc/contract';
import { type Audit, LOCAL_ORIGIN } from '../audit.ts';
import type { Clock, Log, PasswordHasher, Random, Stores } from '../ports.ts';
import type { Account } from '../principal.ts';
import { newAccessKey } from '../secrets/opaque.ts';
import { ownPassword, signOutEverywhere } from './set-password.ts';

export interface BootstrapOptions {
  readonly email: string | null;
  readonly password: string | null;
  /** `SVC_BOOTSTRAP_RESET_PASSWORD`. */
  readonly resetPassword: boolean;
}

interface Tools {
  readonly stores: Stores;
  readonly clock: Clock;
  readonly random: Random;
  readonly hasher: PasswordHasher;
  readonly audit: Audit;
  readonly log: Log;
}

/**
 * Start-up rules for the first account: it is made on an empty database (specification 5.9.1), and the locked-out
 * Super admin gets a new password when asked for (5.11). Warns while the built-in password stands (contract 5).
 */
export async function bootstrap(tools: Tools, options: BootstrapOptions): Promise<void> {
  const { accounts } = tools.stores;
  if (accounts.isEmpty()) await createFirstAccount(tools, options);
  else if (options.resetPassword) await resetSuperAdmin(tools, options);
  if (accounts.hasDefaultPassword()) {
    tools.log.warn(
      'An account still has the built-in password. Sign in and change it, or set ' +
        'SVC_BOOTSTRAP_ADMIN_PASSWORD before the first start.',
    );
  }
}

async function createFirstAccount(tools: Tools, options: BootstrapOptions): Promise<void> {
  const { stores, clock, random, audit, log } = tools;
  const password = options.password ?? DEFAULT_ADMIN_PASSWORD;
  const passwordHash = await tools.hasher.hash(password);
  const email = options.email ?? DEFAULT_ADMIN_EMAIL;
  stores.transaction((tx) => {
    // Another process may have been first while the password was hashed.
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
      defaultPassword: password === DEFAULT_ADMIN_PASSWORD,
      createdAt: clock.now(),
    });
    audit.record(tx, 'user_created', { ...LOCAL_ORIGIN, target: id, reason: 'first start' });
    log.info(`First start: created the Super admin ${email}`);
  });
}

async function resetSuperAdmin(tools: Tools, options: BootstrapOptions): Promise<void> {
  const { stores, audit, log } = tools;
  const password = options.password ?? DEFAULT_ADMIN_PASSWORD;
  const passwordHash = await tools.hasher.hash(password);
  const reset = stores.transaction((tx): Account | undefined => {
    const account = tx.accounts.oldestActive('Super admin');
    if (account === undefined) return undefined;
    tx.accounts.update(account.id, ownPassword(password, passwordHash));
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
