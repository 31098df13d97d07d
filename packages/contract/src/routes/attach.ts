import { DRIVES_SESSION, HUB_MANAGED } from '../access.ts';
import { route } from '../define-route.ts';
import { feature, type RouteTag } from '../feature.ts';
import {
  IdParams,
  InstantSchema,
  NullableInstant,
  NullableText,
  named,
  namedObject,
  orNull,
  Type,
  UuidSchema,
} from './common.ts';

const Attachment = Type.Object({
  attachId: UuidSchema,
  createdAt: InstantSchema,
  expiresAt: InstantSchema,
  lastUsedAt: NullableInstant,
});

const AttachParams = Type.Object({
  id: Type.String({ description: 'The id of the session.' }),
  attachId: Type.String({ description: 'The `attachId` of an attach address.' }),
});

const TAG: RouteTag = {
  name: 'Attach addresses',
  description: 'Addresses at which a client without credentials sends commands to one session.',
};

/** Routes of attach addresses (contract 15.4). */
export const attachRoutes = feature(TAG, {
  createAttachment: route.post('/session/:id/attach', {
    access: DRIVES_SESSION,
    summary: 'Make an address at which any client can send commands to this session',
    description:
      'The address ends after its minutes, with the session, and with the credential that made it. A session has at most 4 addresses.',
    params: IdParams,
    body: Type.Object({ minutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 120, default: 30 })) }),
    responses: {
      201: namedObject('CreatedAttachment', {
        attachId: UuidSchema,
        url: Type.String({
          description:
            'The address, which contains the secret and is shown only in this response. Use it as the address of a WebDriver server.',
        }),
        expiresAt: InstantSchema,
      }),
    },
    errors: ['too_many'],
  }),
  listAttachments: route.get('/session/:id/attach', {
    access: HUB_MANAGED,
    summary: 'The attach addresses of a session that work now',
    params: IdParams,
    responses: { 200: Type.Array(named('Attachment', Attachment)) },
  }),
  getAttachment: route.get('/session/:id/attach/:attachId', {
    access: HUB_MANAGED,
    summary: 'One attach address, with the client that used it last',
    params: AttachParams,
    responses: {
      200: namedObject('AttachmentUse', {
        ...Attachment.properties,
        lastUsedBy: orNull(Type.Object({ address: NullableText, userAgent: NullableText })),
      }),
    },
  }),
  endAttachment: route.delete('/session/:id/attach/:attachId', {
    access: HUB_MANAGED,
    summary: 'End an attach address',
    params: AttachParams,
    responses: { 204: null },
  }),
});
