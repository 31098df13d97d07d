import {
  AnyScopeSchema,
  InstantSchema,
  NullableText,
  RoleSchema,
  ScopeSchema,
  StatusSchema,
  TeamRefSchema,
  Type,
  UserRefSchema,
} from './common.ts';

const NullableTeam = Type.Union([TeamRefSchema, Type.Null()]);

/** An account as the Users page shows it (contract 2). */
export const UserResponse = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  role: RoleSchema,
  status: StatusSchema,
  teams: Type.Array(TeamRefSchema),
  createdAt: InstantSchema,
  lastSignInAt: NullableText,
});

const TeamIds = Type.Array(Type.String(), { maxItems: 1000 });

export const CreateUserBody = Type.Object({
  email: Type.String({ maxLength: 254 }),
  name: Type.String(),
  role: RoleSchema,
  password: Type.Optional(Type.String()),
  teamIds: Type.Optional(TeamIds),
});
export const CreateUserResponse = Type.Object({
  ...UserResponse.properties,
  accessKey: Type.String(),
  temporaryPassword: Type.Optional(Type.String()),
});
export const ChangeUserBody = Type.Object({
  name: Type.Optional(Type.String()),
  role: Type.Optional(RoleSchema),
  status: Type.Optional(StatusSchema),
  teamIds: Type.Optional(TeamIds),
});

export const CreateTeamBody = Type.Object({ name: Type.String() });
export const TeamMemberBody = Type.Object({ userId: Type.String() });
export const TeamMemberResponse = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  role: RoleSchema,
  status: StatusSchema,
});

/** One key or token of the lab with its owner; never a secret. */
export const ApiKeyResponse = Type.Object({
  id: Type.String(),
  name: Type.String(),
  owner: UserRefSchema,
  kind: Type.Unsafe<'profile' | 'api-key'>({ type: 'string', enum: ['profile', 'api-key'] }),
  scopes: Type.Array(ScopeSchema),
  rateLimit: Type.Integer(),
  team: NullableTeam,
  createdAt: InstantSchema,
  lastUsedAt: NullableText,
  expiresAt: NullableText,
});
export const CreateApiKeyBody = Type.Object({
  name: Type.String(),
  scopes: Type.Array(Type.String(), { maxItems: 64 }),
  rateLimit: Type.Optional(Type.Number()),
  teamId: Type.Optional(NullableText),
  expiresAt: Type.Optional(NullableText),
});
export const CreateApiKeyResponse = Type.Object({
  id: Type.String(),
  name: Type.String(),
  scopes: Type.Array(ScopeSchema),
  token: Type.String(),
  rateLimit: Type.Integer(),
  teamId: NullableText,
  expiresAt: NullableText,
});
export const ChangeApiKeyBody = Type.Object({ rateLimit: Type.Number() });

const UUID = '^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$';

/** Query of a page of the audit trail: `before` is the id of a row; numbers arrive as text. */
export const AuditQuery = Type.Object({
  before: Type.Optional(Type.String({ pattern: UUID })),
  limit: Type.Optional(Type.String({ pattern: '^[1-9][0-9]{0,2}$' })),
});
export const AuditResponse = Type.Object({
  items: Type.Array(
    Type.Object({
      id: Type.String(),
      at: InstantSchema,
      event: Type.String(),
      outcome: Type.String(),
      actor: NullableText,
      target: NullableText,
      address: NullableText,
      requestId: NullableText,
      reason: NullableText,
      hash: Type.String(),
      previousHash: Type.String(),
    }),
  ),
  next: NullableText,
});

/** What every route asks for, and which roles with which scopes get in (GET /access-matrix). */
export const AccessMatrixResponse = Type.Object({
  routes: Type.Array(
    Type.Object({
      method: Type.String(),
      path: Type.String(),
      access: Type.String(),
      role: NullableText,
      scope: NullableText,
      credentials: Type.Array(Type.String()),
      category: Type.String(),
      originCheck: Type.Boolean(),
      allowed: Type.Object({
        Member: Type.Array(AnyScopeSchema),
        Admin: Type.Array(AnyScopeSchema),
        'Super admin': Type.Array(AnyScopeSchema),
      }),
    }),
  ),
});
