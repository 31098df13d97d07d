import { ADMIN } from '../access.ts';
import { defineRoute } from '../define-route.ts';
import {
  BeforeText,
  IdParams,
  InstantSchema,
  LimitText,
  NullableText,
  RoleSchema,
  SearchText,
  StatusSchema,
  TeamRefSchema,
  Type,
} from './common.ts';

/** An account as the Users page shows it (contract 2). */
const User = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  role: RoleSchema,
  status: StatusSchema,
  teams: Type.Array(TeamRefSchema),
  createdAt: InstantSchema,
  lastSignInAt: NullableText,
});

const CreatedUser = Type.Object({
  ...User.properties,
  accessKey: Type.String(),
  /** Only when the server made it. */
  temporaryPassword: Type.Optional(Type.String()),
});

const TeamIds = Type.Array(Type.String(), { maxItems: 1000 });

export const userRoutes = {
  listUsers: defineRoute({
    method: 'GET',
    path: '/users',
    access: ADMIN,
    summary: 'Users the caller may see; with a query, a page of them, newest first',
    query: Type.Object({
      search: Type.Optional(SearchText),
      /** Id of a team: its members. */
      team: Type.Optional(Type.String({ maxLength: 100 })),
      before: Type.Optional(BeforeText),
      limit: Type.Optional(LimitText),
    }),
    responses: { 200: Type.Array(User) },
  }),
  createUser: defineRoute({
    method: 'POST',
    path: '/users',
    access: ADMIN,
    summary: 'Make a user',
    body: Type.Object({
      email: Type.String({ maxLength: 254 }),
      name: Type.String(),
      role: RoleSchema,
      password: Type.Optional(Type.String()),
      teamIds: Type.Optional(TeamIds),
    }),
    responses: { 201: CreatedUser },
    sensitive: true,
  }),
  changeUser: defineRoute({
    method: 'PATCH',
    path: '/users/:id',
    access: ADMIN,
    summary: 'Change name, role, status or teams of a user',
    params: IdParams,
    body: Type.Object({
      name: Type.Optional(Type.String()),
      role: Type.Optional(RoleSchema),
      status: Type.Optional(StatusSchema),
      teamIds: Type.Optional(TeamIds),
    }),
    responses: { 200: User },
  }),
  removeUser: defineRoute({
    method: 'DELETE',
    path: '/users/:id',
    access: ADMIN,
    summary: 'Remove a user with sign-ins, keys, links and memberships',
    params: IdParams,
    responses: { 204: null },
  }),
};
