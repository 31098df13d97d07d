import type { Account } from '@svc/auth-core';
import { type Handlers, instant, mapped } from '@svc/module';
import { temporaryPasswordEnd } from '../passwords/set-password.ts';
import { pageIn } from '../rules/pages.ts';
import type { AccountChanges } from './account-changes.ts';
import type { ManageUsers } from './manage-users.ts';

/** Handlers with which Admins and Super admins manage accounts (contract 2 and 3.6). */
export function userHandlers(users: ManageUsers, changes: AccountChanges): Handlers {
  const describe = (account: Account) => describeUser(account, users.isEmailUnconfirmed(account));
  return {
    listUsers: {
      list: (request) => {
        const { caller } = request;
        const page = pageIn(request.query);
        return mapped(page ? users.page(caller, page) : users.read(caller), describe);
      },
    },

    createUser: async ({ caller, body }) => {
      const { account, temporaryPassword } = await users.create(caller, body);
      return {
        ...describe(account),
        accessKey: account.accessKey,
        ...(temporaryPassword === undefined ? {} : { temporaryPassword }),
      };
    },

    changeUser: {
      authorize: (caller, { id }) => users.checkReach(caller, id),
      answer: ({ caller, params, body }) => {
        const changed = users.change(caller, params.id, body);
        changes.changed(params.id);
        return describe(changed);
      },
    },

    removeUser: {
      authorize: (caller, { id }) => users.checkReach(caller, id),
      answer: ({ caller, params }) => {
        users.remove(caller, params.id);
        changes.removed();
      },
    },
  };
}

function describeUser(account: Account, isEmailUnconfirmed: boolean) {
  const temporaryPasswordUntil = temporaryPasswordEnd(account);
  return {
    id: account.id,
    email: account.email,
    name: account.name,
    role: account.role,
    status: account.status,
    teams: account.teams,
    createdAt: instant(account.createdAt),
    lastSignInAt: instant(account.lastSignInAt),
    ...(isEmailUnconfirmed ? { emailUnconfirmed: true } : {}),
    ...(temporaryPasswordUntil === undefined
      ? {}
      : { temporaryPasswordUntil: instant(temporaryPasswordUntil) }),
  };
}
