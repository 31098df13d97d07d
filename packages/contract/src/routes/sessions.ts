import { ANY_CALLER } from '../access.ts';
import { defineRoute } from '../define-route.ts';
import { IdParams, InstantSchema, LimitText, literals, NullableText, Type, UserRefSchema } from './common.ts';

const SESSION_STATUSES = ['running', 'ended', 'passed', 'failed'] as const;
const SessionDevice = Type.Object({ udid: Type.String(), name: Type.String(), platform: Type.String() });

/** A driver session, running or over (contract 2). */
const Session = Type.Object({
  id: Type.String(),
  name: NullableText,
  status: literals(SESSION_STATUSES),
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

/** One WebDriver command of a session. Body and response: JSON with secrets and typed text masked, or a cut text. */
const LogRow = Type.Object({
  seq: Type.Integer(),
  at: InstantSchema,
  method: Type.String(),
  path: Type.String(),
  status: Type.Integer(),
  durationMs: Type.Integer(),
  body: Type.Unknown(),
  response: Type.Unknown(),
});

const Text200 = Type.String({ pattern: '^[^\\u0000]{1,200}$' });

export const sessionRoutes = {
  listSessions: defineRoute({
    method: 'GET',
    path: '/sessions',
    access: ANY_CALLER,
    summary: 'Driver sessions the caller may see, newest first; `before` is the id of one',
    query: Type.Object({
      limit: Type.Optional(LimitText),
      /** Only what is older than this session; nothing when it is not there or not seen. */
      before: Type.Optional(Text200),
      status: Type.Optional(literals(SESSION_STATUSES)),
      /** Id or e-mail of an account. */
      owner: Type.Optional(Text200),
      /** The whole name, to the letter. */
      name: Type.Optional(Text200),
      /** Part of name, id, tag, device, node or failure reason; ASCII letters in either case. */
      search: Type.Optional(Text200),
    }),
    responses: { 200: Type.Array(Session) },
  }),
  session: defineRoute({
    method: 'GET',
    path: '/session/:id',
    access: ANY_CALLER,
    summary: 'One driver session',
    params: IdParams,
    responses: { 200: Session },
  }),
  sessionLog: defineRoute({
    method: 'GET',
    path: '/session/:id/session_log',
    access: ANY_CALLER,
    summary: 'Its command log; `after` is a `seq`',
    params: IdParams,
    query: Type.Object({
      after: Type.Optional(Type.String({ pattern: '^[0-9]{1,12}$' })),
      limit: Type.Optional(Type.String({ pattern: '^[1-9][0-9]{0,3}$' })),
    }),
    responses: { 200: Type.Array(LogRow) },
  }),
  endSession: defineRoute({
    method: 'DELETE',
    path: '/session/:id',
    access: ANY_CALLER,
    summary: 'End a running driver session',
    params: IdParams,
    responses: { 204: null },
  }),
};
