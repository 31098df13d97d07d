import { type Account, ADMIN, type Caller } from '@svc/auth-core';
import { ChangeUserBody, CreateUserAnswer, CreateUserBody, IdParams, Type, UserAnswer } from '@svc/contract';
import type { App, Host } from '../host.ts';
import { instant } from '../wire.ts';

/** Accounts, for Admins and Super admins (contract 2 and 3.6). */
export function userRoutes(api: App, { deps }: Host): void {
  const config = { access: ADMIN };
  const visible = (caller: Caller, { id = '' }: Readonly<Record<string, string>>) =>
    deps.users.checkReach(caller, id);

  api.get('/users', { config, schema: { response: { 200: Type.Array(UserAnswer) } } }, async (request) =>
    deps.users.list(request.caller).map(describeUser),
  );

  api.post(
    '/users',
    { config, schema: { body: CreateUserBody, response: { 201: CreateUserAnswer } } },
    async (request, reply) => {
      const { account, temporaryPassword } = await deps.users.create(request.caller, request.body);
      return reply.code(201).send({
        ...describeUser(account),
        accessKey: account.accessKey,
        ...(temporaryPassword === undefined ? {} : { temporaryPassword }),
      });
    },
  );

  api.patch(
    '/users/:id',
    {
      config: { ...config, visible },
      schema: { params: IdParams, body: ChangeUserBody, response: { 200: UserAnswer } },
    },
    async (request) => describeUser(deps.users.change(request.caller, request.params.id, request.body)),
  );

  api.delete('/users/:id', { config, schema: { params: IdParams } }, async (request, reply) => {
    deps.users.remove(request.caller, request.params.id);
    return reply.code(204).send();
  });
}

function describeUser(account: Account) {
  return {
    id: account.id,
    email: account.email,
    name: account.name,
    role: account.role,
    status: account.status,
    teams: [...account.teams],
    createdAt: instant(account.createdAt),
    lastSignInAt: instant(account.lastSignInAt),
  };
}
