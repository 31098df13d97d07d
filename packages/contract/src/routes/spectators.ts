import { ANY_CALLER, DEVICES, PUBLIC } from '../access.ts';
import { route } from '../define-route.ts';
import { feature, type RouteTag } from '../feature.ts';
import {
  InstantSchema,
  NullableText,
  named,
  namedObject,
  orNull,
  Type,
  UdidParams,
  UserRefSchema,
  UuidSchema,
} from './common.ts';

const Audience = named(
  'SpectatorAudience',
  Type.Union([Type.Literal('account'), Type.Literal('team'), Type.Literal('anyone')]),
);

const Spectator = namedObject('Spectator', {
  viewerId: UuidSchema,
  account: orNull(UserRefSchema),
  address: NullableText,
  since: InstantSchema,
});

const WatchParams = Type.Object({
  udid: Type.String({ description: 'The udid of the device.' }),
  watchId: Type.String({ description: 'The `watchId` of a link.' }),
});

const SecretBody = Type.Object({
  secret: Type.String({ maxLength: 100, description: 'The part of the link after `#`.' }),
});

const OpenedLink = namedObject('OpenedWatchLink', {
  ticket: Type.String({ description: 'Opens one stream within 30 seconds.' }),
  name: Type.String({ description: 'Name of the phone.' }),
  expiresAt: InstantSchema,
});

const TAG: RouteTag = {
  name: 'Spectators',
  description: 'Links that show the screen of a phone to others, without control over it.',
};

export const spectatorRoutes = feature(TAG, {
  createWatchLink: route.post('/control/:udid/watch', {
    access: DEVICES,
    summary: 'Make a link that shows the screen of a phone you hold to others',
    description:
      'For the holder of a lease or session of the phone. The link ends after its minutes and with the lease or session.',
    params: UdidParams,
    body: Type.Object({
      minutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 120, default: 30 })),
      for: Audience,
      account: Type.Optional(
        Type.String({ maxLength: 254, description: 'Id or e-mail address, for `account`.' }),
      ),
      team: Type.Optional(
        Type.String({ maxLength: 100, description: 'Id of one of your teams, for `team`.' }),
      ),
    }),
    responses: {
      201: namedObject('CreatedWatchLink', {
        watchId: UuidSchema,
        url: Type.String({ description: 'The link, whose fragment is the secret. It is shown only here.' }),
        expiresAt: InstantSchema,
      }),
    },
    errors: ['device_not_yours', 'spectators_off', 'too_many', 'unknown_team'],
  }),
  listWatchLinks: route.get('/control/:udid/watch', {
    access: DEVICES,
    summary: 'The links of a phone you hold, with the spectators who watch now',
    params: UdidParams,
    responses: {
      200: Type.Array(
        namedObject('WatchLink', {
          watchId: UuidSchema,
          for: Audience,
          createdAt: InstantSchema,
          expiresAt: InstantSchema,
          watching: Type.Array(Spectator),
        }),
      ),
    },
    errors: ['device_not_yours'],
  }),
  endWatchLink: route.delete('/control/:udid/watch/:watchId', {
    access: DEVICES,
    summary: 'End a link and the streams of all its spectators',
    params: WatchParams,
    responses: { 204: null },
    errors: ['device_not_yours'],
  }),
  endSpectator: route.delete('/control/:udid/watch/:watchId/viewers/:viewerId', {
    access: DEVICES,
    summary: 'End the stream of one spectator',
    params: Type.Object({
      ...WatchParams.properties,
      viewerId: Type.String({ description: 'The `viewerId` of a spectator.' }),
    }),
    responses: { 204: null },
    errors: ['device_not_yours'],
  }),
  openWatchLink: route.post('/watch/account', {
    access: ANY_CALLER,
    summary: 'Open a link as the account or team member that it is for',
    body: SecretBody,
    responses: { 200: OpenedLink },
    errors: ['not_found'],
  }),
  openPublicWatchLink: route.post('/watch/anyone', {
    access: PUBLIC,
    summary: 'Open a link that is for anybody who has it',
    body: SecretBody,
    responses: { 200: OpenedLink },
    errors: ['not_found'],
  }),
  streamWatchLink: route.get('/watch/stream', {
    access: PUBLIC,
    summary: 'The screen as MJPEG, for the ticket of an opened link',
    query: Type.Object({
      ticket: Type.Optional(Type.String({ maxLength: 100, description: 'The ticket of an opened link.' })),
    }),
    responses: { 200: Type.Unknown() },
    produces: ['multipart/x-mixed-replace'],
    errors: ['invalid ticket', 'no_such_source', 'overloaded'],
  }),
});
