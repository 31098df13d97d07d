import { ADMIN, alsoAccepting, PREVIEWS_LAB, READS_LAB } from '../access.ts';
import { route } from '../define-route.ts';
import { feature, type RouteTag } from '../feature.ts';
import { DEVICE_KINDS } from '../names.ts';
import {
  documentedAs,
  InstantSchema,
  literals,
  NullableInstant,
  NullableText,
  NullableUuid,
  named,
  namedObject,
  orNull,
  TeamRefSchema,
  Type,
  UdidParams,
  UserRefSchema,
} from './common.ts';
import { DeviceSource } from './device-source.ts';

const NullableNumber = (description: string) => orNull(Type.Number(), { description });

const FailureRate = orNull(Type.Number({ minimum: 0, maximum: 1 }), {
  description:
    'Part of the sessions of the last week that ended with a failure category or that the driver refused, or null if there were none. A session that only its test marked as failed does not count.',
});

/**
 * Schema of a device that the caller may see. `session` is present only if the caller may see the session too (contract
 * 2).
 */
const Device = namedObject('Device', {
  udid: Type.String(),
  name: Type.String(),
  platform: Type.String(),
  osVersion: Type.String(),
  team: orNull(TeamRefSchema),
  node: NullableText,
  status: named('DeviceStatus', literals(['free', 'busy', 'away'])),
  tags: Type.Array(Type.String()),
  note: orNull(Type.String({ description: 'Note of an Admin about the phone.' })),
  outOfService: orNull(
    namedObject(
      'OutOfService',
      {
        reason: Type.String(),
        by: orNull(UserRefSchema, {
          description: 'Admin who put the phone out of service, or null if the lab did.',
        }),
        since: InstantSchema,
        until: NullableInstant,
      },
      { description: 'Why no session and no lease takes the phone.' },
    ),
  ),
  model: NullableText,
  manufacturer: NullableText,
  apiLevel: orNull(Type.Integer({ description: 'API level of Android.' })),
  kind: orNull(named('DeviceKind', literals(DEVICE_KINDS))),
  avd: orNull(Type.String({ description: 'Name of the Android virtual device.' })),
  idleSince: orNull(InstantSchema),
  starting: Type.Optional(
    namedObject(
      'DeviceStart',
      { owner: orNull(UserRefSchema), since: InstantSchema },
      { description: 'The session that is starting on the device, if the caller would see it.' },
    ),
  ),
  health: orNull(
    namedObject(
      'DeviceHealth',
      {
        battery: NullableNumber('Charge of the battery in percent.'),
        temperature: NullableNumber('Temperature of the battery in °C.'),
        storageFree: NullableNumber('Free storage for apps and data in bytes.'),
        checkedAt: InstantSchema,
      },
      { description: 'What the last probe of the phone read.' },
    ),
  ),
  failureRate: FailureRate,
  problem: Type.Optional(
    named('DeviceProblem', literals(['not trusted', 'developer mode off', 'no tunnel'])),
  ),
  directInput: Type.Optional(
    Type.Boolean({
      description: 'True if the holder of the lease can tap and type without a session, otherwise absent.',
    }),
  ),
  lease: Type.Optional(namedObject('DeviceLease', { owner: UserRefSchema, expiresAt: InstantSchema })),
  session: Type.Optional(
    namedObject(
      'DeviceSession',
      {
        id: Type.String(),
        name: NullableText,
        owner: orNull(UserRefSchema),
        startedAt: InstantSchema,
      },
      { description: 'The session on the device, if the caller may see it.' },
    ),
  ),
});

const TAG: RouteTag = { name: 'Devices', description: 'Devices the caller may see.' };

export const deviceRoutes = feature(TAG, {
  listDevices: route.get('/devices', {
    access: READS_LAB,
    summary: 'Devices the caller may see',
    responses: { 200: Type.Array(Device) },
  }),
  matchDevices: route.post('/devices/match', {
    access: PREVIEWS_LAB,
    category: 'read',
    summary: 'Which phone a session with these capabilities would get, without reserving it',
    description:
      'Credentials in the capabilities are removed and not checked. `fits` has the phones that fit, in the order in which they would be taken.',
    body: Type.Object({ capabilities: Type.Record(Type.String(), Type.Unknown()) }),
    responses: {
      200: namedObject('PhoneMatches', {
        fits: Type.Array(
          namedObject('FittingPhone', {
            udid: Type.String(),
            name: Type.String(),
            status: named('DeviceStatus', literals(['free', 'busy', 'away'])),
          }),
        ),
        others: Type.Array(
          namedObject('OtherPhone', {
            udid: Type.String(),
            name: Type.String(),
            why: Type.Array(
              namedObject('PhoneMismatch', {
                capability: Type.String(),
                wanted: Type.String(),
                has: NullableText,
              }),
            ),
          }),
        ),
      }),
    },
    errors: ['invalid argument'],
  }),
  listDeviceSources: route.get('/devices/sources', {
    access: { ...ADMIN, atNode: 'own' },
    summary: 'Phones plugged into the host of this server, and whether the lab uses them',
    responses: { 200: Type.Array(DeviceSource) },
  }),
  setDeviceSource: route.put('/devices/sources/:name', {
    access: { ...ADMIN, atNode: 'own' },
    summary: 'Use the phones plugged into the host of this server, or stop using them',
    params: Type.Object({ name: Type.String({ description: '`adb` or `ios`.' }) }),
    body: Type.Object({ on: Type.Boolean() }),
    responses: { 200: DeviceSource },
    errors: ['conflict'],
  }),
  setDeviceTeam: route.put('/device/:udid/team', {
    access: { ...ADMIN, atNode: 'own' },
    summary: 'Assign a device to a team, or to the shared pool with null',
    params: UdidParams,
    body: Type.Object({ teamId: NullableUuid }),
    responses: { 200: Device },
    errors: ['unknown_team', 'conflict'],
  }),
  setDeviceDescription: route.put('/device/:udid', {
    access: { ...ADMIN, atNode: 'own' },
    summary: 'Rename a phone and write a note about it',
    description:
      'An absent field stays as it is. Null or an empty text clears it; the phone then has its own name.',
    params: UdidParams,
    body: Type.Object({
      name: Type.Optional(orNull(Type.String({ maxLength: 100 }))),
      note: Type.Optional(orNull(Type.String({ maxLength: 2_000 }))),
    }),
    responses: { 200: Device },
  }),
  getDeviceHistory: route.get('/device/:udid/history', {
    access: READS_LAB,
    summary: 'Health of a phone and outcome of its sessions in the last week, oldest first',
    params: UdidParams,
    responses: {
      200: namedObject('DeviceHistory', {
        probes: Type.Array(
          namedObject('StoredProbe', {
            at: InstantSchema,
            battery: NullableNumber('Charge of the battery in percent.'),
            temperature: NullableNumber('Temperature of the battery in °C.'),
            storageFree: NullableNumber('Free storage for apps and data in bytes.'),
          }),
          { description: 'One probe about every 15 minutes.' },
        ),
        days: Type.Array(
          namedObject('DayOfSessions', {
            day: InstantSchema,
            ended: Type.Integer({ description: 'Sessions that ended.' }),
            failed: Type.Integer({ description: 'Sessions of these with a failure category.' }),
            refused: Type.Integer({ description: 'Sessions that the driver refused to start.' }),
          }),
        ),
        failureRate: FailureRate,
      }),
    },
  }),
  getCleaningPlan: route.get('/device/:udid/cleaning', {
    access: alsoAccepting({ ...ADMIN, atNode: 'own' }, { by: 'hub-token', action: 'cleaning' }),
    summary: 'What a cleaning would remove from a phone now, and why',
    description: 'Reads the phone and changes nothing. A phone of a node is read by its node.',
    params: UdidParams,
    responses: {
      200: namedObject('CleaningPlan', {
        since: orNull(InstantSchema, {
          description: 'When the present or last holder began, or null if the phone is clean.',
        }),
        kept: Type.Boolean({ description: 'Whether an Admin wants the phone left as it is.' }),
        items: Type.Array(namedObject('PlannedRemoval', { name: Type.String(), why: Type.String() })),
      }),
    },
    errors: ['driver_failed'],
  }),
  releaseDevice: route.post('/device/:udid/release', {
    access: { ...ADMIN, atNode: 'hub' },
    summary: 'End the session on a device, or the start of one',
    params: UdidParams,
    responses: { 204: null },
  }),
  setDeviceMaintenance: route.put('/device/:udid/maintenance', {
    access: { ...ADMIN, atNode: 'own' },
    summary: 'Put a phone out of service, so that no session and no lease takes it',
    params: UdidParams,
    body: Type.Object({
      reason: Type.String({ minLength: 1, maxLength: 200 }),
      until: Type.Optional(
        documentedAs(
          Type.Unsafe<string | null>({ type: ['string', 'null'] }),
          Type.Unsafe<string | null>({
            type: ['string', 'null'],
            format: 'date-time',
            description: 'A future time at which the phone returns automatically.',
          }),
        ),
      ),
    }),
    responses: { 200: Device },
    errors: ['invalid_expiry'],
  }),
  endDeviceMaintenance: route.delete('/device/:udid/maintenance', {
    access: { ...ADMIN, atNode: 'own' },
    summary: 'Put a phone back into service',
    params: UdidParams,
    responses: { 204: null },
  }),
  setDeviceTags: route.post('/device/tags', {
    access: { ...ADMIN, atNode: 'own' },
    summary: 'Replace the tags of a device',
    body: Type.Object({
      udid: Type.String(),
      tags: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 50 }),
    }),
    responses: { 200: Device },
    errors: ['not_found'],
  }),
});
