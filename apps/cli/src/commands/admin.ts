import type { Role } from '@svc/contract';
import { type Command, InvalidArgumentError } from 'commander';
import type { CreateOptions, RoleOptions } from '../actions/accounts.ts';
import type { AdminOptions, PasswordOptions } from '../actions/break-glass.ts';
import { type AddCommand, FOLDER } from './options.ts';

const JSON_OPTION = ['--json', 'print the answer as JSON'] as const;
const PASSWORD_OPTION = [
  '--password-stdin',
  'read the password from standard input instead of generating one',
] as const;
const EMAIL = ['<email>', 'e-mail address of the account'] as const;

/** Adds `svc admin`, which also works while the server runs. */
export const addAdmin: AddCommand = (program, terminal, end) => {
  const admin = program
    .command('admin')
    .description('manage accounts, keys and tokens without signing in, also while the server runs');
  admin
    .command('list')
    .description('print every account: e-mail, role, status, last sign-in')
    .option(...JSON_OPTION)
    .option(...FOLDER)
    .action(async (options: AdminOptions) => {
      const { listAccounts } = await import('../actions/accounts.ts');
      end(await listAccounts(options, terminal));
    });
  addPasswords(admin, terminal, end);
  addRoles(admin, terminal, end);
  addStatuses(admin, terminal, end);
  addTokens(admin, terminal, end);
};

const addPasswords: AddCommand = (admin, terminal, end) => {
  admin
    .command('create')
    .description('create an account and print its temporary password once')
    .argument(...EMAIL)
    .option(
      '--role <role>',
      'Member, Admin or "Super admin"',
      roleAmong('Member', 'Admin', 'Super admin'),
      'Member',
    )
    .option('--name <name>', 'default: the e-mail address')
    .option(...PASSWORD_OPTION)
    .option(...JSON_OPTION)
    .option(...FOLDER)
    .action(async (email: string, options: CreateOptions) => {
      const { createAccount } = await import('../actions/accounts.ts');
      end(await createAccount(email, options, terminal));
    });
  admin
    .command('reset-password')
    .description(
      'set a temporary password, print it once, and end all sign-ins and connections of the account',
    )
    .argument(...EMAIL)
    .option(...PASSWORD_OPTION)
    .option(...JSON_OPTION)
    .option(...FOLDER)
    .action(async (email: string, options: PasswordOptions) => {
      const { resetPassword } = await import('../actions/accounts.ts');
      end(await resetPassword(email, options, terminal));
    });
};

const addRoles: AddCommand = (admin, terminal, end) => {
  const add = (name: 'promote' | 'demote', description: string, lower: Role, higher: Role, usual: Role) =>
    admin
      .command(name)
      .description(description)
      .argument(...EMAIL)
      .option('--role <role>', `"${lower}" or "${higher}"`, roleAmong(lower, higher), usual)
      .option(...JSON_OPTION)
      .option(...FOLDER)
      .action(async (email: string, options: RoleOptions) => {
        const { setRole } = await import('../actions/accounts.ts');
        end(await setRole(name, email, options, terminal));
      });
  add('promote', 'give an account a higher role', 'Admin', 'Super admin', 'Admin');
  add(
    'demote',
    'give an account a lower role; the last active Super admin stays',
    'Member',
    'Admin',
    'Member',
  );
};

const addStatuses: AddCommand = (admin, terminal, end) => {
  const add = (name: 'activate' | 'deactivate', description: string) =>
    admin
      .command(name)
      .description(description)
      .argument(...EMAIL)
      .option(...JSON_OPTION)
      .option(...FOLDER)
      .action(async (email: string, options: AdminOptions) => {
        const { setStatus } = await import('../actions/accounts.ts');
        end(await setStatus(name, email, options, terminal));
      });
  add('activate', 'make an Inactive account Active again');
  add(
    'deactivate',
    'refuse all credentials of an account and end its sign-ins; the last active Super admin stays active',
  );
};

const addTokens: AddCommand = (admin: Command, terminal, end) => {
  admin
    .command('tokens')
    .description('print the valid API keys and Profile tokens, without their secrets')
    .argument('[email]', 'e-mail address of the owner; default: all accounts')
    .option(...JSON_OPTION)
    .option(...FOLDER)
    .action(async (email: string | undefined, options: AdminOptions) => {
      const { listTokens } = await import('../actions/tokens.ts');
      end(await listTokens(email, options, terminal));
    });
  admin
    .command('revoke')
    .description('revoke an API key or Profile token')
    .argument('<id>', 'as `svc admin tokens` prints it')
    .option(...FOLDER)
    .action(async (id: string, options: AdminOptions) => {
      const { revokeToken } = await import('../actions/tokens.ts');
      end(await revokeToken(id, options, terminal));
    });
};

/** Parses a role in any letter case, with `-` or a space between the words. */
function roleAmong(...roles: readonly Role[]): (text: string) => Role {
  return (text) => {
    const wanted = text.trim().toLowerCase().replaceAll('-', ' ');
    const found = roles.find((role) => role.toLowerCase() === wanted);
    if (found === undefined) throw new InvalidArgumentError(`It is one of: ${roles.join(', ')}.`);
    return found;
  };
}
