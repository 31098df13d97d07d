import { type Account, ADMIN, type Caller } from '@svc/auth-core';
import {
  CreateTeamBody,
  IdParams,
  TeamMemberBody,
  TeamMemberResponse,
  TeamRefSchema,
  Type,
} from '@svc/contract';
import type { App, HttpContext } from '../http-context.ts';

const MemberParams = Type.Object({ id: Type.String(), userId: Type.String() });

/** Teams and their members (contract 2). */
export function teamRoutes(api: App, { services }: HttpContext): void {
  const config = { access: ADMIN };
  const authorizeResource = (_caller: Caller, { id = '' }: Readonly<Record<string, string>>) =>
    services.teams.checkKnown(id);

  api.get('/teams', { config, schema: { response: { 200: Type.Array(TeamRefSchema) } } }, async () =>
    services.stores.teams.list(),
  );

  api.post(
    '/teams',
    { config, schema: { body: CreateTeamBody, response: { 201: TeamRefSchema } } },
    async (request, reply) => reply.code(201).send(services.teams.create(request.caller, request.body)),
  );

  api.delete('/teams/:id', { config, schema: { params: IdParams } }, async (request, reply) => {
    services.teams.remove(request.caller, request.params.id);
    return reply.code(204).send();
  });

  api.get(
    '/teams/:id/members',
    { config, schema: { params: IdParams, response: { 200: Type.Array(TeamMemberResponse) } } },
    async (request) => services.teams.members(request.params.id).map(describeMember),
  );

  api.post(
    '/teams/:id/members',
    {
      config: { ...config, authorizeResource },
      schema: { params: IdParams, body: TeamMemberBody, response: { 201: TeamMemberResponse } },
    },
    async (request, reply) => {
      const account = services.teams.addMember(request.caller, request.params.id, request.body.userId);
      return reply.code(201).send(describeMember(account));
    },
  );

  api.delete(
    '/teams/:id/members/:userId',
    { config, schema: { params: MemberParams } },
    async (request, reply) => {
      services.teams.removeMember(request.caller, request.params.id, request.params.userId);
      return reply.code(204).send();
    },
  );
}

function describeMember({ id, email, name, role, status }: Account) {
  return { id, email, name, role, status };
}
