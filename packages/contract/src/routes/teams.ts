import { ADMIN } from '../access.ts';
import { defineRoute } from '../define-route.ts';
import { IdParams, RoleSchema, StatusSchema, TeamRefSchema, Type } from './common.ts';

const Member = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  role: RoleSchema,
  status: StatusSchema,
});

export const teamRoutes = {
  listTeams: defineRoute({
    method: 'GET',
    path: '/teams',
    access: ADMIN,
    summary: 'Every team of the lab',
    responses: { 200: Type.Array(TeamRefSchema) },
  }),
  createTeam: defineRoute({
    method: 'POST',
    path: '/teams',
    access: ADMIN,
    summary: 'Make a team',
    body: Type.Object({ name: Type.String() }),
    responses: { 201: TeamRefSchema },
  }),
  removeTeam: defineRoute({
    method: 'DELETE',
    path: '/teams/:id',
    access: ADMIN,
    summary: 'Remove a team nothing belongs to',
    params: IdParams,
    responses: { 204: null },
  }),
  listMembers: defineRoute({
    method: 'GET',
    path: '/teams/:id/members',
    access: ADMIN,
    summary: 'Members of a team the caller may see',
    params: IdParams,
    responses: { 200: Type.Array(Member) },
  }),
  addMember: defineRoute({
    method: 'POST',
    path: '/teams/:id/members',
    access: ADMIN,
    summary: 'Add a user to a team',
    params: IdParams,
    body: Type.Object({ userId: Type.String() }),
    responses: { 201: Member },
  }),
  removeMember: defineRoute({
    method: 'DELETE',
    path: '/teams/:id/members/:userId',
    access: ADMIN,
    summary: 'Take a user out of a team',
    params: Type.Object({ id: Type.String(), userId: Type.String() }),
    responses: { 204: null },
  }),
};
