import { ANY_CALLER, DEVICES, TICKET } from '../access.ts';
import { defineRoute } from '../define-route.ts';
import { Type } from './common.ts';

const UdidParams = Type.Object({ udid: Type.String() });
/** One that is no text is no ticket: 401, as without. */
const TicketQuery = Type.Object({ ticket: Type.Optional(Type.Unknown()) });

/** Pictures and log lines of one device, as they come (contract 2, specification 5.8). */
export const streamRoutes = {
  deviceStreams: defineRoute({
    method: 'GET',
    path: '/control/:udid/streams',
    access: ANY_CALLER,
    summary: 'Which of the streams below this device has at the moment',
    params: UdidParams,
    responses: {
      200: Type.Object({ mjpeg: Type.Boolean(), h264: Type.Boolean(), logs: Type.Boolean() }),
    },
  }),
  issueStreamTicket: defineRoute({
    method: 'POST',
    path: '/control/:udid/stream/ticket',
    access: DEVICES,
    summary: 'A ticket for the preview or the log of this device: once, within its life',
    params: UdidParams,
    responses: { 200: Type.Object({ ticket: Type.String(), expiresIn: Type.Integer() }) },
  }),
  streamMjpeg: defineRoute({
    method: 'GET',
    path: '/control/:udid/stream',
    access: TICKET,
    summary: 'MJPEG preview: multipart/x-mixed-replace, one JPEG a part',
    params: UdidParams,
    query: TicketQuery,
    responses: { 200: Type.Unknown() },
  }),
  streamH264: defineRoute({
    method: 'GET',
    path: '/control/:udid/stream/h264',
    access: TICKET,
    webSocket: true,
    summary: 'H.264 preview: binary frames as the source sends them',
    params: UdidParams,
    query: TicketQuery,
    responses: { 101: null },
  }),
  streamLogs: defineRoute({
    method: 'GET',
    path: '/control/:udid/logs',
    access: TICKET,
    webSocket: true,
    summary: 'Log lines of the device, one a text frame; the latest ones first',
    params: UdidParams,
    query: TicketQuery,
    responses: { 101: null },
  }),
};
