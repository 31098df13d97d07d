import { READS_LAB } from '../access.ts';
import { route } from '../define-route.ts';
import { feature, type RouteTag } from '../feature.ts';
import {
  InstantSchema,
  literals,
  NullableText,
  named,
  namedObject,
  orNull,
  Type,
  UserRefSchema,
} from './common.ts';

/** Schema of a create-session or lease request that waits for a phone (contract 13). */
const WaitingRequest = namedObject('WaitingRequest', {
  kind: named('WaitingKind', literals(['session', 'lease'])),
  place: Type.Integer({
    description: 'Position among the requests that could use one of the same phones, beginning with 1.',
  }),
  since: InstantSchema,
  until: InstantSchema,
  own: Type.Boolean({ description: 'Whether the caller sent the request.' }),
  owner: orNull(UserRefSchema, {
    description:
      'Who waits. Null for requests of others, except to Admins, and for requests without an owner.',
  }),
  wants: Type.Object({
    udid: NullableText,
    platform: NullableText,
    tags: Type.Array(Type.String()),
  }),
  because: orNull(Type.String(), {
    description:
      'Why the request gets no phone although none that fits is in use, such as a limit of its account. Null for requests of others, except to Admins.',
  }),
});

const TAG: RouteTag = {
  name: 'Queue',
  description: 'Create-session and lease requests that wait for a phone.',
};

export const queueRoutes = feature(TAG, {
  getQueue: route.get('/queue', {
    access: READS_LAB,
    summary: 'Requests that wait for a phone, in the order in which they arrived',
    responses: {
      200: namedObject('Queue', {
        waiting: Type.Integer({
          description: 'Number of all waiting requests, with those for phones that the caller may not see.',
        }),
        items: Type.Array(WaitingRequest),
      }),
    },
  }),
});
