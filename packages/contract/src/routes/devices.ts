import { ADMIN, READS_LAB } from '../access.ts';
import { defineRoute } from '../define-route.ts';
import { feature, type RouteTag } from '../feature.ts';
import {
  InstantSchema,
  literals,
  NullableText,
  NullableUuid,
  named,
  TeamRefSchema,
  Type,
  UdidParams,
  UserRefSchema,
} from './common.ts';

/**
 * Schema of a device that the caller may see. `session` is present only if the caller may see the session too (contract
 * 2).
 */
const Device = named(
  'Device',
  Type.Object({
    udid: Type.String(),
    name: Type.String(),
    platform: Type.String(),
    osVersion: Type.String(),
    team: Type.Union([TeamRefSchema, Type.Null()]),
    node: NullableText,
    status: named('DeviceStatus', literals(['free', 'busy', 'away'])),
    tags: Type.Array(Type.String()),
    lease: Type.Optional(
      named('DeviceLease', Type.Object({ owner: UserRefSchema, expiresAt: InstantSchema })),
    ),
    session: Type.Optional(
      named(
        'DeviceSession',
        Type.Object(
          {
            id: Type.String(),
            name: NullableText,
            owner: Type.Union([UserRefSchema, Type.Null()]),
            startedAt: InstantSchema,
          },
          { description: 'The session on the device, if the caller may see it.' },
        ),
      ),
    ),
  }),
);

const TAG: RouteTag = { name: 'Devices', description: 'Devices the caller may see.' };

export const deviceRoutes = feature(TAG, {
  listDevices: defineRoute({
    method: 'GET',
    path: '/devices',
    access: READS_LAB,
    summary: 'Devices the caller may see',
    responses: { 200: Type.Array(Device) },
  }),
  setDeviceTeam: defineRoute({
    method: 'PUT',
    path: '/device/:udid/team',
    access: { ...ADMIN, atNode: 'own' },
    summary: 'Assign a device to a team, or to the shared pool with null',
    params: UdidParams,
    body: Type.Object({ teamId: NullableUuid }),
    responses: { 200: Device },
    errors: ['unknown_team', 'conflict'],
  }),
  setDeviceTags: defineRoute({
    method: 'POST',
    path: '/device/tags',
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
