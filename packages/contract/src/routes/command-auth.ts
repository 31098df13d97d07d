import { ADMIN } from '../access.ts';
import { route } from '../define-route.ts';
import { feature, type RouteTag } from '../feature.ts';
import {
  InstantSchema,
  literals,
  NullableInstant,
  NullableText,
  named,
  namedObject,
  Type,
} from './common.ts';

/**
 * Schema of one line of the command-check report: the commands of one client in one session that the server would
 * refuse if it checked the credentials of commands.
 */
const ReportClient = namedObject('ReportClient', {
  address: NullableText,
  userAgent: NullableText,
  session: Type.String(),
  wouldRefuse: Type.Integer(),
  reasons: Type.Array(Type.Object({ reason: Type.String(), count: Type.Integer() })),
  firstAt: InstantSchema,
  lastAt: InstantSchema,
});

const Refused = {
  at: InstantSchema,
  kind: Type.String(),
  method: Type.String(),
  path: Type.String(),
  status: Type.Integer({
    description: '200 if the request was accepted, and `reason` is a warning about it.',
  }),
  error: Type.String({ description: 'The error code that the client got. Empty if it got none.' }),
  reason: Type.String(),
  caller: NullableText,
  address: NullableText,
  sessionId: NullableText,
};

export const ACCESS_TAG: RouteTag = {
  name: 'Access',
  description: 'What the command check refused, and what every route requires.',
};

export const commandAuthRoutes = feature(ACCESS_TAG, {
  commandAuthReport: route.get('/command-auth/report', {
    access: ADMIN,
    summary: 'What the command check would have refused, by client and session',
    responses: {
      200: namedObject('CommandAuthReport', {
        mode: named('CommandAuthMode', literals(['off', 'report-only', 'on'])),
        since: NullableInstant,
        checked: Type.Integer(),
        wouldRefuse: Type.Integer(),
        notKept: Type.Integer(),
        clients: Type.Array(ReportClient),
      }),
    },
  }),
  explain: route.get('/explain/:requestId', {
    access: ADMIN,
    summary: 'Why the request with this id was refused, within the last hour',
    operationId: 'explainRefusal',
    params: Type.Object({
      requestId: Type.String({ description: 'The `X-Request-Id` of the response to the refused request.' }),
    }),
    responses: {
      200: namedObject('Explanation', {
        requestId: Type.String(),
        ...Refused,
        earlier: Type.Optional(
          Type.Array(namedObject('EarlierRefusal', Refused), {
            description:
              'Earlier refusals with the same request id, newest first. Callers choose their request ids, so an id can occur twice.',
          }),
        ),
      }),
    },
  }),
});
