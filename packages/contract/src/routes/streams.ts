import { type Access, DEVICES, HUB_MANAGED, type TicketProof } from '../access.ts';
import type { StreamKind } from '../audiences.ts';
import { route } from '../define-route.ts';
import { feature } from '../feature.ts';
import { documentedAs, namedObject, TicketSchema, Type, UdidParams } from './common.ts';
import { CONTROL_TAG } from './control.ts';

/**
 * Schema of the query with the ticket. It accepts any value, because a value that is not text must be refused with 401,
 * like a missing ticket.
 */
const TicketQuery = Type.Object({
  ticket: Type.Optional(
    documentedAs(
      Type.Unknown(),
      Type.String({
        description: 'A ticket from `POST …/stream/ticket`. Not needed while sign-in is turned off.',
      }),
    ),
  ),
});

/** Returns the access to a phone's pictures or log lines: a ticket for the phone, or on a node a token of its hub. */
function streamAccess(action: StreamKind, ticket: Pick<TicketProof, 'evenWithSignInOff'> = {}): Access {
  return {
    accepts: [
      { by: 'ticket', audience: 'svc-stream', resource: 'udid', ...ticket },
      { by: 'hub-token', action },
    ],
    atNode: 'hub',
  };
}

/** Routes for live pictures and log lines of one device (contract 2, specification 5.8). */
export const streamRoutes = feature(CONTROL_TAG, {
  deviceStreams: route.get('/control/:udid/streams', {
    access: HUB_MANAGED,
    summary: 'Which of these streams the device has at the moment',
    params: UdidParams,
    responses: {
      200: namedObject('DeviceStreams', {
        mjpeg: Type.Boolean(),
        h264: Type.Boolean(),
        logs: Type.Boolean(),
      }),
    },
  }),
  issueStreamTicket: route.post('/control/:udid/stream/ticket', {
    access: DEVICES,
    summary: 'Issue a single-use ticket for the preview or the log of a device',
    params: UdidParams,
    responses: { 200: TicketSchema },
    errors: ['expiry_exceeds_credential'],
  }),
  streamMjpeg: route.get('/control/:udid/stream', {
    access: streamAccess('frames'),
    summary: 'MJPEG preview: multipart/x-mixed-replace with one JPEG per part',
    params: UdidParams,
    query: TicketQuery,
    responses: { 200: Type.Unknown() },
    produces: ['multipart/x-mixed-replace'],
    errors: ['no_such_source', 'overloaded'],
  }),
  streamH264: route.get('/control/:udid/stream/h264', {
    access: streamAccess('video', { evenWithSignInOff: true }),
    webSocket: true,
    summary: 'H.264 preview: binary frames as the source sends them',
    params: UdidParams,
    query: TicketQuery,
    responses: { 101: null },
    errors: ['no_such_source', 'overloaded'],
  }),
  streamLogs: route.get('/control/:udid/logs', {
    access: streamAccess('lines', { evenWithSignInOff: true }),
    webSocket: true,
    summary: 'Log lines of the device, one per text frame; begins with the latest lines',
    params: UdidParams,
    query: TicketQuery,
    responses: { 101: null },
    errors: ['no_such_source', 'overloaded'],
  }),
});
