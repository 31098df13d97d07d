import { temporaryPasswordEnd } from '@svc/accounts';
import type { Account } from '@svc/auth-core';
import { routes } from '@svc/contract';
import { instant, mapped } from '@svc/module';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';

/** Registers the routes with which Admins and Super admins manage accounts (contract 2 and 3.6). */
export function userRoutes(
  api: App,
  { services: { users, leases, accountChanged }, reads }: HttpContext,
): void {
  const describe = (account: Account) => describeUser(account, users.isEmailUnconfirmed(account));

  handle(api, routes.listUsers, async (request, reply) => {
    const {
      caller,
      query: { search, team, before, limit },
    } = request;
    const page = { search, team, before, limit: limit === undefined ? undefined : Number(limit) };
    const isPage = Object.values(page).some((value) => value !== undefined);
    const found = mapped(isPage ? users.page(caller, page) : users.read(caller), describe);
    return await reads.sendList({ request, reply }, routes.listUsers, found);
  });

  handle(api, routes.createUser, async ({ caller, body }) => {
    const { account, temporaryPassword } = await users.create(caller, body);
    return {
      ...describe(account),
      accessKey: account.accessKey,
      ...(temporaryPassword === undefined ? {} : { temporaryPassword }),
    };
  });

  handle(
    api,
    routes.changeUser,
    ({ caller, params, body }) => {
      const changed = users.change(caller, params.id, body);
      accountChanged(params.id);
      return describe(changed);
    },
    { authorizeResource: (caller, { id }) => users.checkReach(caller, id) },
  );

  handle(
    api,
    routes.removeUser,
    ({ caller, params }) => {
      users.remove(caller, params.id);
      leases.recheck();
    },
    { authorizeResource: (caller, { id }) => users.checkReach(caller, id) },
  );
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
