import { ADMIN } from '../access.ts';
import { route } from '../define-route.ts';
import { feature, type RouteTag } from '../feature.ts';
import {
  EmailSchema,
  IdParams,
  NameInput,
  namedObject,
  RoleSchema,
  StatusSchema,
  TeamRefSchema,
  Type,
  UuidSchema,
} from './common.ts';
import { NewLimits, ShareLimits } from './usage.ts';

const Member = namedObject('TeamMember', {
  id: UuidSchema,
  email: EmailSchema,
  name: Type.String(),
  role: RoleSchema,
  status: StatusSchema,
});

const TAG: RouteTag = { name: 'Teams', description: 'Teams and their members.' };

export const teamRoutes = feature(TAG, {
  listTeams: route.get('/teams', {
    access: ADMIN,
    summary: 'Every team of the lab',
    responses: { 200: Type.Array(TeamRefSchema) },
  }),
  createTeam: route.post('/teams', {
    access: ADMIN,
    summary: 'Create a team',
    body: Type.Object({ name: NameInput }),
    responses: { 201: TeamRefSchema },
    errors: ['invalid_name', 'conflict'],
  }),
  removeTeam: route.delete('/teams/:id', {
    access: ADMIN,
    summary: 'Remove a team that has no members, devices or keys',
    description:
      'Refused while members, devices or API keys belong to the team; the error has their numbers. Devices that are away count too.',
    params: IdParams,
    responses: { 204: null },
    errors: ['team_not_empty'],
  }),
  setTeamLimits: route.put('/teams/:id/limits', {
    access: ADMIN,
    summary: 'Replace the limits of what the members of a team use together',
    params: IdParams,
    body: NewLimits,
    responses: { 200: ShareLimits },
  }),
  listMembers: route.get('/teams/:id/members', {
    access: ADMIN,
    summary: 'Members of a team the caller may see',
    params: IdParams,
    responses: { 200: Type.Array(Member) },
  }),
  addMember: route.post('/teams/:id/members', {
    access: ADMIN,
    summary: 'Add a user to a team',
    params: IdParams,
    body: Type.Object({ userId: UuidSchema }),
    responses: { 201: Member },
    errors: ['role_exceeds_yours', 'conflict'],
  }),
  removeMember: route.delete('/teams/:id/members/:userId', {
    access: ADMIN,
    summary: 'Remove a user from a team',
    params: Type.Object({
      ...IdParams.properties,
      userId: Type.String({ description: 'The id of the user.' }),
    }),
    responses: { 204: null },
    errors: ['role_exceeds_yours'],
  }),
});
