import { DEVICES, HUB_MANAGED } from '../access.ts';
import { route } from '../define-route.ts';
import { feature, type RouteTag } from '../feature.ts';
import { has, hasItems, hasNone, when } from '../field-rules.ts';
import { DEVICE_KINDS, MAX_LEASE_QUEUE_SECONDS } from '../names.ts';
import {
  documentedAs,
  IdParams,
  InstantSchema,
  literals,
  namedObject,
  Type,
  UserRefSchema,
  UuidSchema,
  withRule,
} from './common.ts';

/**
 * Schema of a lease's minutes. Validation accepts any number; a later rule refuses an unsuitable one with 400
 * `invalid_lease`.
 */
const MinutesInput = documentedAs(Type.Number(), Type.Integer({ minimum: 1, maximum: 480 }));

/**
 * Schema of the seconds for which a lease request waits. The schema accepts any value, because the lease flow refuses
 * unsuitable values with 400 `invalid_lease` (contract 13).
 */
const QueueSecondsInput = documentedAs(
  Type.Unsafe<number>(Type.Unknown()),
  Type.Integer({ minimum: 0, maximum: MAX_LEASE_QUEUE_SECONDS }),
);

/**
 * Schema of the conditions on a phone, the same object as `svc:options.device` (contract 14.3). The schema accepts any
 * object, because the matcher names the field that cannot be used.
 */
const DeviceInput = documentedAs(
  Type.Record(Type.String(), Type.Unknown()),
  Type.Object({
    name: Type.Optional(Type.String()),
    model: Type.Optional(Type.String()),
    manufacturer: Type.Optional(Type.String()),
    minVersion: Type.Optional(Type.String()),
    maxVersion: Type.Optional(Type.String()),
    minApiLevel: Type.Optional(Type.Integer()),
    maxApiLevel: Type.Optional(Type.Integer()),
    kind: Type.Optional(literals(DEVICE_KINDS)),
    tags: Type.Optional(Type.Array(Type.String())),
    udids: Type.Optional(Type.Array(Type.String())),
    node: Type.Optional(Type.String()),
  }),
);

/** Schema of a lease, which reserves a phone for its holder (contract 2). */
const Lease = namedObject('Lease', {
  leaseId: UuidSchema,
  udid: Type.String(),
  owner: UserRefSchema,
  expiresAt: InstantSchema,
});

const TAG: RouteTag = { name: 'Leases', description: 'Devices reserved for a person or a job.' };

export const leaseRoutes = feature(TAG, {
  createLease: route.post('/leases', {
    access: DEVICES,
    summary: 'Reserve a phone by `udid`, or any phone that matches `platform` and `tags`',
    description:
      'The body has either `udid`, or `device`, or `platform`, `tags` or both. Without `platform`, `tags` has at least one tag.',
    body: withRule(
      Type.Object({
        udid: Type.Optional(Type.String()),
        platform: Type.Optional(Type.String()),
        tags: Type.Optional(Type.Array(Type.String(), { maxItems: 50 })),
        device: Type.Optional(DeviceInput),
        minutes: MinutesInput,
        queueSeconds: Type.Optional(QueueSecondsInput),
      }),
      when(has('udid'), hasNone('platform', 'tags', 'device'), {
        anyOf: [has('platform'), hasItems('tags'), has('device')],
      }),
    ),
    responses: {
      201: namedObject('CreatedLease', {
        leaseId: UuidSchema,
        leaseToken: Type.String({
          description:
            'The secret, which is shown only in this response. To use the lease, put `leaseId` and `leaseToken` into `svc:options`.',
        }),
        udid: Type.String(),
        expiresAt: InstantSchema,
      }),
    },
    errors: [
      'invalid_lease',
      'not_found',
      'device_busy',
      'limit_reached',
      'too_many_leases',
      'minutes_used_up',
    ],
  }),
  listLeases: route.get('/leases', {
    access: HUB_MANAGED,
    summary: "The caller's leases; all leases for an override admin",
    responses: { 200: Type.Array(Lease) },
  }),
  changeLease: route.patch('/leases/:id', {
    access: HUB_MANAGED,
    summary: 'Set a lease to end `minutes` from now',
    params: IdParams,
    body: Type.Object({ minutes: MinutesInput }),
    responses: { 200: Lease },
    errors: ['invalid_lease', 'minutes_used_up'],
  }),
  endLease: route.delete('/leases/:id', {
    access: HUB_MANAGED,
    summary: 'End a lease; a session on the phone continues',
    params: IdParams,
    responses: { 204: null },
  }),
});
