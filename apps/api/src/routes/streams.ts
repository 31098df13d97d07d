import { routes, type StreamKind } from '@svc/contract';
import type { FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { handle } from '../handle.ts';
import type { App, HttpContext } from '../http-context.ts';
import { implicitAdmin } from '../implicit-admin.ts';
import { MJPEG_TYPE, MjpegViewer } from '../streams/mjpeg-viewer.ts';
import { lineViewer, relayVideo } from '../streams/socket-viewers.ts';
import type { AdmittedViewer } from '../streams/streams.ts';
import { handleSocket } from '../web-sockets/handle-socket.ts';
import { onlyText } from '../wire.ts';

const CLOSE_CODES = { refused: 1008, unverified: 1011, gone: 1001 } as const;

/** Previews and logs by ticket (specification 5.8, contract 2). */
export function streamRoutes(api: App, context: HttpContext): void {
  const { services } = context;
  const { streams, previews, deviceControl } = services;
  api.addHook('preClose', async () => streams.close());

  handle(api, routes.deviceStreams, ({ caller, params }) => {
    const device = deviceControl.seen(caller, params.udid);
    return {
      mjpeg: previews.has('frames', device),
      h264: previews.has('video', device),
      logs: previews.has('lines', device),
    };
  });

  handle(api, routes.issueStreamTicket, ({ caller, params }) => streams.issue(caller, params.udid), {
    authorizeResource: (caller, { udid }) => void deviceControl.seen(caller, udid),
  });

  const admitToSocket = async (
    request: FastifyRequest<{ Querystring: { ticket?: unknown } }>,
    kind: StreamKind,
    udid: string,
  ) => {
    if (request.forHub !== null) return { ...streams.admittedForHub(kind, udid), ticket: null };
    return await streams.check(kind, udid, onlyText(request.query.ticket), request.from);
  };

  handle(api, routes.streamMjpeg, async (request, reply) => {
    const { method, params, query, from } = request;
    const { udid } = params;
    const ticket = onlyText(query.ticket);
    const isOpen = services.config.authDisabled;
    const admit = async () => {
      if (request.forHub !== null) return streams.admittedForHub('frames', udid);
      if (isOpen) return streams.admitted('frames', udid, implicitAdmin(services, from));
      if (method === 'HEAD') return streams.check('frames', udid, ticket, from);
      return streams.admit('frames', udid, ticket, from);
    };
    const admitted = await admit();
    if (method === 'HEAD') return reply.type(MJPEG_TYPE).send();
    reply.hijack();
    const { raw } = reply;
    if (raw.destroyed) return reply;
    raw.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      'content-type': MJPEG_TYPE,
      'x-content-type-options': 'nosniff',
    });
    const viewer = new MjpegViewer(raw);
    const forget = streams.keep(admitted, 'frames', () => viewer.end());
    const leave = previews.watch(admitted.device, viewer);
    raw.once('close', () => {
      forget();
      leave();
    });
    return reply;
  });

  const keep = (socket: WebSocket, admitted: AdmittedViewer, kind: 'video' | 'lines') => {
    const forget = streams.keep(admitted, kind, (end) => socket.close(CLOSE_CODES[end]));
    socket.once('close', forget);
  };

  handleSocket(api, context, routes.streamH264, {
    admit: (request) => admitToSocket(request, 'video', request.params.udid),
    open: (socket, admitted) => {
      keep(socket, admitted, 'video');
      const source = previews.video(admitted.device);
      if (source === null) socket.close(CLOSE_CODES.gone);
      else relayVideo(source, socket);
    },
  });

  handleSocket(api, context, routes.streamLogs, {
    admit: (request) => admitToSocket(request, 'lines', request.params.udid),
    open: (socket, admitted) => {
      keep(socket, admitted, 'lines');
      socket.once('close', previews.read(admitted.device, lineViewer(socket)));
    },
  });
}
