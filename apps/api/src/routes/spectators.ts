import { routes } from '@svc/contract';
import { MJPEG_TYPE, MjpegViewer } from '@svc/previews';
import { handle } from '../http/handle.ts';
import type { App, LabContext } from '../http/http-context.ts';

/** Registers the route that shows the screen of a phone to a spectator. */
export function spectatorRoutes(api: App, { services }: LabContext): void {
  const { spectators, previews } = services.modules.previews.offers;

  handle(api, routes.streamWatchLink, async ({ query, method }, reply) => {
    if (method === 'HEAD') return reply.type(MJPEG_TYPE).send();
    const { device, keep } = spectators.admit(query.ticket ?? '');
    reply.hijack();
    const { raw } = reply;
    if (raw.destroyed) return reply;
    raw.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      'content-type': MJPEG_TYPE,
      'x-content-type-options': 'nosniff',
    });
    const viewer = new MjpegViewer(raw);
    const forget = keep(() => viewer.end());
    const leave = previews.watch(device, viewer);
    raw.once('close', () => {
      forget();
      leave();
    });
    return reply;
  });
}
