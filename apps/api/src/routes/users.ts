import { type Account, ADMIN, type Caller } from '@svc/auth-core';
import {
  ChangeUserBody,
  CreateUserBody,
  CreateUserResponse,
  IdParams,
  Type,
  UserResponse,
} from '@svc/contract';
import type { App, HttpContext } from '../http-context.ts';
import { instant } from '../wire.ts';

/** Accounts, for Admins and Super admins (contract 2 and 3.6). */
export function userRoutes(api: App, { services }: HttpContext): void {
  const config = { access: ADMIN };
  const authorizeResource = (caller: Caller, { id = '' }: Readonly<Record<string, string>>) =>
    services.users.checkReach(caller, id);

  api.get('/users', { config, schema: { response: { 200: Type.Array(UserResponse) } } }, async (request) =>
    services.users.list(request.caller).map(describeUser),
  );

  api.post(
    '/users',
    { config, schema: { body: CreateUserBody, response: { 201: CreateUserResponse } } },
    async (request, reply) => {
      const { account, temporaryPassword } = await services.users.create(request.caller, request.body);
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
      config: { ...config, authorizeResource },
      schema: { params: IdParams, body: ChangeUserBody, response: { 200: UserResponse } },
    },
    async (request) => describeUser(services.users.change(request.caller, request.params.id, request.body)),
  );

  api.delete('/users/:id', { config, schema: { params: IdParams } }, async (request, reply) => {
    services.users.remove(request.caller, request.params.id);
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
