import { routes } from '@svc/contract';
import { type AdmittedViewer, lineViewer, MJPEG_TYPE, MjpegViewer, relayVideo } from '@svc/previews';
import type { WebSocket } from 'ws';
import { spendTicket } from '../admission/spend-ticket.ts';
import { handle } from '../http/handle.ts';
import type { App, LabContext } from '../http/http-context.ts';
import { handleSocket } from '../web-sockets/handle-socket.ts';

const CLOSE_CODES = { refused: 1008, unverified: 1011, gone: 1001 } as const;

/** Registers the routes for previews and device logs, which are opened with tickets (specification 5.8, contract 2). */
export function streamRoutes(api: App, context: LabContext): void {
  const { tickets, modules } = context.services;
  const { streams, previews } = modules.previews.offers;

  handle(api, routes.streamMjpeg, async (request, reply) => {
    const { method, params, sender } = request;
    const admitted = streams.admit('frames', params.udid, sender);
    if (method === 'HEAD') return reply.type(MJPEG_TYPE).send();
    spendTicket(request, tickets);
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
    admit: ({ params, sender }) => streams.admit('video', params.udid, sender),
    open: (socket, admitted) => {
      keep(socket, admitted, 'video');
      const source = previews.video(admitted.device);
      if (source === null) socket.close(CLOSE_CODES.gone);
      else relayVideo(source, socket);
    },
  });

  handleSocket(api, context, routes.streamLogs, {
    admit: ({ params, sender }) => streams.admit('lines', params.udid, sender),
    open: (socket, admitted) => {
      keep(socket, admitted, 'lines');
      socket.once('close', previews.read(admitted.device, lineViewer(socket)));
    },
  });
}
