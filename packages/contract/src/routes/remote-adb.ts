import { type Access, HUB_MANAGED } from '../access.ts';
import { route } from '../define-route.ts';
import { feature } from '../feature.ts';
import {
  documentedAs,
  IdParams,
  InstantSchema,
  namedObject,
  TicketSchema,
  Type,
  UdidParams,
  UserRefSchema,
  UuidSchema,
} from './common.ts';
import { CONTROL_TAG } from './control.ts';

/** An agent needs the MCP scope of leases, because only the lease gives it this right (contract 16). */
const HOLDERS: Access = {
  accepts: [{ by: 'credential', mcpScope: 'svc:devices:lock' }],
  role: 'Member',
  scope: 'devices',
  atNode: 'hub',
};

const TicketText = Type.Optional(
  documentedAs(Type.Unknown(), Type.String({ description: 'A ticket from `POST …/ticket`.' })),
);

const USES = Type.Array(
  namedObject('AdbUse', {
    id: UuidSchema,
    owner: UserRefSchema,
    since: InstantSchema,
    sockets: Type.Integer({ description: 'Number of open connections.' }),
    toPhone: Type.Integer({ description: 'Bytes sent to the phone.' }),
    fromPhone: Type.Integer({ description: 'Bytes received from the phone.' }),
  }),
);
const UseParams = Type.Object({ ...UdidParams.properties, ...IdParams.properties });

/** Routes with which the holder of a phone uses adb or a usbmuxd from their own machine (contract 16). */
export const remoteAdbRoutes = feature(CONTROL_TAG, {
  issueAdbTicket: route.post('/control/:udid/adb/ticket', {
    access: HOLDERS,
    summary: 'Issue a ticket for one adb connection to a phone that the caller holds',
    params: UdidParams,
    responses: { 200: TicketSchema },
    errors: ['device_not_yours', 'no_such_source', 'expiry_exceeds_credential'],
  }),
  openAdb: route.get('/control/:udid/adb', {
    access: {
      accepts: [
        { by: 'ticket', audience: 'svc-adb', resource: 'udid', evenWithSignInOff: true },
        { by: 'hub-token', action: 'adb' },
      ],
      atNode: 'hub',
    },
    webSocket: true,
    summary: 'One adb service of a phone: first `{service}` as text, then its bytes',
    params: UdidParams,
    query: Type.Object({ ticket: TicketText }),
    responses: { 101: null },
    errors: ['no_such_source', 'overloaded'],
  }),
  listAdbUses: route.get('/control/:udid/adb/uses', {
    access: HUB_MANAGED,
    summary: 'Who uses adb on a phone now: own uses, and all for an override admin',
    params: UdidParams,
    responses: {
      200: USES,
    },
  }),
  endAdbUse: route.delete('/control/:udid/adb/uses/:id', {
    access: HUB_MANAGED,
    summary: 'Cut all connections of a use of adb',
    params: UseParams,
    responses: { 204: null },
  }),
  issueUsbTicket: route.post('/control/:udid/usb/ticket', {
    access: HOLDERS,
    summary: 'Issue a ticket for one connection to an iOS phone that the caller holds',
    params: UdidParams,
    responses: { 200: TicketSchema },
    errors: ['device_not_yours', 'no_such_source', 'expiry_exceeds_credential'],
  }),
  openUsb: route.get('/control/:udid/usb', {
    access: {
      accepts: [
        { by: 'ticket', audience: 'svc-usb', resource: 'udid', evenWithSignInOff: true },
        { by: 'hub-token', action: 'usb' },
      ],
      atNode: 'hub',
    },
    webSocket: true,
    summary: 'One port of an iOS phone: first `{service}` as text, then its bytes',
    params: UdidParams,
    query: Type.Object({ ticket: TicketText }),
    responses: { 101: null },
    errors: ['no_such_source', 'overloaded'],
  }),
  listUsbUses: route.get('/control/:udid/usb/uses', {
    access: HUB_MANAGED,
    summary: 'Who uses the ports of an iOS phone now: own uses, and all for an override admin',
    params: UdidParams,
    responses: {
      200: USES,
    },
  }),
  endUsbUse: route.delete('/control/:udid/usb/uses/:id', {
    access: HUB_MANAGED,
    summary: 'Cut all connections of a use of an iOS phone',
    params: UseParams,
    responses: { 204: null },
  }),
});
