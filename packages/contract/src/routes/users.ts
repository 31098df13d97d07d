import { ADMIN, exceptAgents } from '../access.ts';
import { route } from '../define-route.ts';
import { feature, type RouteTag } from '../feature.ts';
import {
  BeforeText,
  documentedAs,
  EmailSchema,
  IdParams,
  InstantSchema,
  LimitText,
  NameInput,
  NewPassword,
  NullableInstant,
  namedObject,
  nullableText,
  RoleSchema,
  SearchText,
  StatusSchema,
  TeamRefSchema,
  Type,
  UuidSchema,
} from './common.ts';
import { NewLimits, ShareLimits } from './usage.ts';

/** Schema of an account as the Users page shows it (contract 2). */
const User = namedObject('User', {
  id: UuidSchema,
  email: EmailSchema,
  name: Type.String(),
  role: RoleSchema,
  status: StatusSchema,
  teams: Type.Array(TeamRefSchema),
  createdAt: InstantSchema,
  lastSignInAt: NullableInstant,
  emailUnconfirmed: Type.Optional(
    Type.Boolean({
      description:
        'Present, and true, only while no one has confirmed that the e-mail address belongs to the user: no reset link is mailed to it.',
    }),
  ),
  temporaryPasswordUntil: Type.Optional(
    nullableText(
      'date-time',
      'Present only while the password is the temporary one: when it expires unless the user signs in with it, or null if they have and did not replace it yet.',
    ),
  ),
});

const CreatedUser = namedObject('CreatedUser', {
  ...User.properties,
  accessKey: Type.String(),
  temporaryPassword: Type.Optional(
    Type.String({ description: 'Present only if the server generated the password.' }),
  ),
});

const TeamIds = Type.Array(UuidSchema, { maxItems: 1000 });

const TAG: RouteTag = { name: 'Users', description: 'Accounts, for Admins.' };

export const userRoutes = feature(TAG, {
  listUsers: route.get('/users', {
    access: ADMIN,
    summary: 'Users the caller may see, newest first; a page of them if there is a query',
    query: Type.Object({
      search: Type.Optional(SearchText),
      team: Type.Optional(
        Type.String({ maxLength: 100, description: 'Id of a team: only its members are returned.' }),
      ),
      before: Type.Optional(BeforeText),
      limit: Type.Optional(LimitText),
    }),
    responses: { 200: Type.Array(User) },
  }),
  createUser: route.post('/users', {
    access: exceptAgents(ADMIN),
    summary: 'Create a user',
    body: Type.Object({
      email: documentedAs(
        Type.String({ maxLength: 254 }),
        Type.String({ maxLength: 254, format: 'email', description: 'Unique regardless of letter case.' }),
      ),
      name: NameInput,
      role: RoleSchema,
      password: Type.Optional(NewPassword),
      teamIds: Type.Optional(TeamIds),
    }),
    responses: { 201: CreatedUser },
    errors: [
      'invalid_name',
      'unknown_team',
      'password must be at least 8 characters',
      'password is too long',
      'password has an unusable character',
      'password is too common',
      'role_exceeds_yours',
      'conflict',
      'overloaded',
    ],
    sensitive: true,
  }),
  changeUser: route.patch('/users/:id', {
    access: ADMIN,
    summary: 'Change name, role, status or teams of a user, or confirm their e-mail address',
    params: IdParams,
    body: Type.Object({
      name: Type.Optional(NameInput),
      role: Type.Optional(RoleSchema),
      status: Type.Optional(StatusSchema),
      teamIds: Type.Optional(TeamIds),
      emailConfirmed: Type.Optional(
        documentedAs(
          Type.Boolean({ const: true, description: 'States that the e-mail address belongs to the user.' }),
          Type.Literal(true, { description: 'States that the e-mail address belongs to the user.' }),
        ),
      ),
    }),
    responses: { 200: User },
    errors: [
      'invalid_name',
      'unknown_team',
      'cannot_change_yourself',
      'last_super_admin',
      'role_exceeds_yours',
      'conflict',
    ],
  }),
  setUserLimits: route.put('/users/:id/limits', {
    access: ADMIN,
    summary: 'Replace the limits of what a user uses, with their agents and keys',
    params: IdParams,
    body: NewLimits,
    responses: { 200: ShareLimits },
    errors: ['role_exceeds_yours'],
  }),
  removeUser: route.delete('/users/:id', {
    access: ADMIN,
    summary: 'Remove a user with all sign-ins, keys, links and memberships',
    params: IdParams,
    responses: { 204: null },
    errors: ['cannot_change_yourself', 'last_super_admin', 'role_exceeds_yours'],
  }),
});
