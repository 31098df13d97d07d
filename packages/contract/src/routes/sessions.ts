import { DRIVES_SESSION, READS_COMMANDS, READS_LAB } from '../access.ts';
import { route } from '../define-route.ts';
import { feature, type RouteTag } from '../feature.ts';
import {
  documentedAs,
  IdParams,
  InstantSchema,
  LimitText,
  literals,
  NullableInstant,
  NullableText,
  named,
  namedObject,
  orNull,
  Type,
  timeText,
  UserRefSchema,
} from './common.ts';

const SESSION_STATUSES = ['running', 'ended', 'passed', 'failed'] as const;
const SessionDevice = namedObject('SessionDevice', {
  udid: Type.String(),
  name: Type.String(),
  platform: Type.String(),
});
const SessionStatus = named('SessionStatus', literals(SESSION_STATUSES));

const SessionClean = namedObject(
  'SessionClean',
  {
    state: literals(['pending', 'cleaned', 'kept', 'failed'] as const),
    removed: Type.Array(Type.String(), {
      description:
        'Packages and paths that were removed, and names of values that were set back; at most 100.',
    }),
    at: NullableInstant,
  },
  { description: 'Cleaning of the phone after the session.' },
);

/** Schema of a driver session that is running or has ended (contract 2). */
const Session = namedObject('Session', {
  id: Type.String(),
  name: NullableText,
  status: SessionStatus,
  owner: orNull(UserRefSchema),
  device: orNull(SessionDevice),
  node: NullableText,
  startedAt: InstantSchema,
  endedAt: NullableInstant,
  failureCategory: NullableText,
  failureReason: NullableText,
  tags: Type.Array(Type.String()),
  healingTiers: orNull(Type.Array(Type.Integer())),
  startedBy: documentedAs(
    NullableText,
    Type.Unsafe({
      type: ['string', 'null'],
      description: 'Run of the CI job that created the session, or null if no trusted workload created it.',
    }),
  ),
  startedByUrl: documentedAs(
    NullableText,
    Type.Unsafe({
      type: ['string', 'null'],
      description: 'http(s) address of that run at the CI service, or null if it is not known.',
    }),
  ),
  capabilities: Type.Record(Type.String(), Type.Unknown(), {
    description:
      'Masked and at most 64 KiB; the largest values are left out beyond that, and `svc:leftOut` has their `count` and `names`.',
  }),
  clean: orNull(SessionClean),
});

/**
 * Schema of one WebDriver command in a session's log. Body and response are JSON, or text if they were longer than the
 * maximum and had to be cut. Secrets and typed text are masked.
 */
const LogRow = namedObject('SessionLogRow', {
  seq: Type.Integer(),
  at: InstantSchema,
  method: Type.String(),
  path: Type.String(),
  status: Type.Integer(),
  durationMs: Type.Integer({ description: 'Milliseconds.' }),
  body: Type.Unknown({ description: 'JSON with secrets and typed text masked, or truncated text.' }),
  response: Type.Unknown(),
  name: Type.String({ description: '`findElement`, `svc: setSessionStatus` or `mobile: tap`.' }),
  summary: Type.String({
    description: 'One masked line with what the command acts on, such as `xpath //login`; may be empty.',
  }),
  via: Type.Optional(
    Type.Literal('attach', { description: 'Present if the command was sent to an attach address.' }),
  ),
  error: Type.Optional(
    Type.Object(
      { code: Type.String(), message: Type.String() },
      { description: 'Why the command was refused; left out if it succeeded.' },
    ),
  ),
});

function text200(description: string) {
  return Type.String({ pattern: '^[^\\u0000]{1,200}$', description });
}

const SessionOrderText = Type.Unsafe<'newest' | 'oldest' | 'longest' | 'shortest'>({
  type: 'string',
  enum: ['newest', 'oldest', 'longest', 'shortest'],
  description:
    'Which comes first; the default is `newest`. `longest` and `shortest` list only sessions that have ended. `before` always names the last row of the page before.',
});

const TAG: RouteTag = { name: 'Sessions', description: 'Driver sessions and their command log.' };

export const sessionRoutes = feature(TAG, {
  listSessions: route.get('/sessions', {
    access: READS_LAB,
    summary: 'Driver sessions the caller may see, newest first unless `order` says otherwise',
    query: Type.Object({
      limit: Type.Optional(LimitText),
      before: Type.Optional(
        text200(
          'Id of a session: only sessions that follow it are returned, or none if the caller may not see it.',
        ),
      ),
      order: Type.Optional(SessionOrderText),
      status: Type.Optional(SessionStatus),
      owner: Type.Optional(text200('Id or e-mail address of an account.')),
      name: Type.Optional(text200('The complete name, case-sensitive.')),
      udid: Type.Optional(text200('UDID of the device.')),
      tag: Type.Optional(text200('A complete tag, case-sensitive.')),
      category: Type.Optional(text200('The failure category, such as `Timeout`.')),
      from: Type.Optional(timeText('Only sessions that started at this time or later.')),
      to: Type.Optional(timeText('Only sessions that started before this time.')),
      search: Type.Optional(
        text200(
          'Part of the name, id, a tag, the device, the node or the failure reason; ASCII letters match in either case.',
        ),
      ),
    }),
    responses: { 200: Type.Array(Session) },
  }),
  session: route.get('/session/:id', {
    access: READS_LAB,
    summary: 'One driver session',
    params: IdParams,
    responses: { 200: Session },
  }),
  sessionLog: route.get('/session/:id/session_log', {
    access: READS_COMMANDS,
    summary: 'The command log of a driver session',
    params: IdParams,
    query: Type.Object({
      after: Type.Optional(
        documentedAs(
          Type.String({ pattern: '^[0-9]{1,12}$' }),
          Type.Integer({
            minimum: 0,
            maximum: 999_999_999_999,
            description: 'Only rows after this `seq`.',
          }),
        ),
      ),
      limit: Type.Optional(
        documentedAs(
          Type.String({ pattern: '^[1-9][0-9]{0,3}$' }),
          Type.Integer({
            minimum: 1,
            maximum: 9_999,
            description: 'Maximum number of rows; values above 2000 count as 2000.',
          }),
        ),
      ),
    }),
    responses: { 200: Type.Array(LogRow) },
  }),
  endSession: route.delete('/session/:id', {
    access: DRIVES_SESSION,
    summary: 'End a running driver session',
    description: 'Allowed for the owner and for an override admin. Ending a finished session has no effect.',
    params: IdParams,
    responses: { 204: null },
  }),
});
