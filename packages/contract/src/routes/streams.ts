import { DEVICES, HUB_MANAGED, STREAM_TICKET } from '../access.ts';
import { defineRoute } from '../define-route.ts';
import { documentedAs, named, TicketSchema, Type, UdidParams } from './common.ts';

/** A value that is not text is refused with 401, like a missing ticket. */
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

/** Live pictures and log lines of one device (contract 2, specification 5.8). */
export const streamRoutes = {
  deviceStreams: defineRoute({
    method: 'GET',
    path: '/control/:udid/streams',
    access: HUB_MANAGED,
    summary: 'Which of these streams the device has at the moment',
    params: UdidParams,
    responses: {
      200: named(
        'DeviceStreams',
        Type.Object({ mjpeg: Type.Boolean(), h264: Type.Boolean(), logs: Type.Boolean() }),
      ),
    },
  }),
  issueStreamTicket: defineRoute({
    method: 'POST',
    path: '/control/:udid/stream/ticket',
    access: DEVICES,
    summary: 'Issue a single-use ticket for the preview or the log of a device',
    params: UdidParams,
    responses: { 200: TicketSchema },
    errors: ['expiry_exceeds_credential'],
  }),
  streamMjpeg: defineRoute({
    method: 'GET',
    path: '/control/:udid/stream',
    access: { ...STREAM_TICKET, orHub: 'frames' },
    summary: 'MJPEG preview: multipart/x-mixed-replace with one JPEG per part',
    params: UdidParams,
    query: TicketQuery,
    responses: { 200: Type.Unknown() },
    produces: ['multipart/x-mixed-replace'],
    errors: ['no_such_source', 'overloaded'],
  }),
  streamH264: defineRoute({
    method: 'GET',
    path: '/control/:udid/stream/h264',
    access: { ...STREAM_TICKET, orHub: 'video' },
    webSocket: true,
    summary: 'H.264 preview: binary frames as the source sends them',
    params: UdidParams,
    query: TicketQuery,
    responses: { 101: null },
    errors: ['no_such_source', 'overloaded'],
  }),
  streamLogs: defineRoute({
    method: 'GET',
    path: '/control/:udid/logs',
    access: { ...STREAM_TICKET, orHub: 'lines' },
    webSocket: true,
    summary: 'Log lines of the device, one per text frame; begins with the latest lines',
    params: UdidParams,
    query: TicketQuery,
    responses: { 101: null },
    errors: ['no_such_source', 'overloaded'],
  }),
};
