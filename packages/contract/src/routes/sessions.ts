import { InstantSchema, NullableText, TeamRefSchema, Type, UserRefSchema } from './common.ts';

const SessionDevice = Type.Object({ udid: Type.String(), name: Type.String(), platform: Type.String() });

/** A driver session, running or over (contract 2). */
export const SessionResponse = Type.Object({
  id: Type.String(),
  name: NullableText,
  status: Type.Unsafe<'running' | 'ended' | 'passed' | 'failed'>({
    type: 'string',
    enum: ['running', 'ended', 'passed', 'failed'],
  }),
  owner: Type.Union([UserRefSchema, Type.Null()]),
  device: Type.Union([SessionDevice, Type.Null()]),
  node: NullableText,
  startedAt: InstantSchema,
  endedAt: NullableText,
  failureCategory: NullableText,
  failureReason: NullableText,
  tags: Type.Array(Type.String()),
  healingTiers: Type.Union([Type.Array(Type.Integer()), Type.Null()]),
  capabilities: Type.Record(Type.String(), Type.Unknown()),
});

/** GET /sessions: newest first. */
export const SessionsQuery = Type.Object({
  limit: Type.Optional(Type.String({ pattern: '^[1-9][0-9]{0,2}$' })),
});

/** GET /session/:id/session_log; `after` is a `seq`. */
export const SessionLogQuery = Type.Object({
  after: Type.Optional(Type.String({ pattern: '^[0-9]{1,12}$' })),
  limit: Type.Optional(Type.String({ pattern: '^[1-9][0-9]{0,3}$' })),
});

/** One WebDriver command of a session. Body and response: JSON with secrets and typed text masked, or a cut text. */
export const SessionLogRow = Type.Object({
  seq: Type.Integer(),
  at: InstantSchema,
  method: Type.String(),
  path: Type.String(),
  status: Type.Integer(),
  durationMs: Type.Integer(),
  body: Type.Unknown(),
  response: Type.Unknown(),
});

/** A phone somebody may see; `session` only for who may see that, too (contract 2). */
export const DeviceResponse = Type.Object({
  udid: Type.String(),
  name: Type.String(),
  platform: Type.String(),
  osVersion: Type.String(),
  team: Type.Union([TeamRefSchema, Type.Null()]),
  node: NullableText,
  status: Type.Unsafe<'free' | 'busy' | 'away'>({ type: 'string', enum: ['free', 'busy', 'away'] }),
  tags: Type.Array(Type.String()),
  session: Type.Optional(Type.Object({ id: Type.String(), name: NullableText, startedAt: InstantSchema })),
});
export const UdidParams = Type.Object({ udid: Type.String() });
export const DeviceTeamBody = Type.Object({ teamId: NullableText });
export const DeviceTagsBody = Type.Object({
  udid: Type.String(),
  tags: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 50 }),
});

/** GET /explain/:requestId: why requests with this id were refused, newest first. */
export const ExplainParams = Type.Object({ requestId: Type.String() });
export const ExplainResponse = Type.Object({
  requestId: Type.String(),
  refusals: Type.Array(
    Type.Object({
      at: InstantSchema,
      kind: Type.String(),
      method: Type.String(),
      path: Type.String(),
      status: Type.Integer(),
      error: Type.String(),
      reason: Type.String(),
      caller: NullableText,
      address: NullableText,
      sessionId: NullableText,
    }),
  ),
});

/** GET /command-auth/report: what the command check would have refused, by client and session. */
export const CommandAuthReport = Type.Object({
  mode: Type.Unsafe<'off' | 'report-only' | 'on'>({ type: 'string', enum: ['off', 'report-only', 'on'] }),
  since: NullableText,
  checked: Type.Integer(),
  wouldRefuse: Type.Integer(),
  notKept: Type.Integer(),
  clients: Type.Array(
    Type.Object({
      address: NullableText,
      userAgent: NullableText,
      session: Type.String(),
      wouldRefuse: Type.Integer(),
      reasons: Type.Array(Type.Object({ reason: Type.String(), count: Type.Integer() })),
      firstAt: InstantSchema,
      lastAt: InstantSchema,
    }),
  ),
});
