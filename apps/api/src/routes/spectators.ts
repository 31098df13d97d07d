import { Refusal } from '@svc/auth-core';
import { routes, SITE_PREFIX } from '@svc/contract';
import { instant } from '@svc/module';
import { MJPEG_TYPE, MjpegViewer, type SpectatorAudience } from '@svc/previews';
import { addressFor } from '../http/address-for.ts';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';

const USUAL_MINUTES = 30;

/** Registers the routes for spectators: people who look at the screen of a phone that somebody else holds. */
export function spectatorRoutes(api: App, context: HttpContext): void {
  const { spectators, previews, deviceControl } = context.services;
  const checked = {
    authorizeResource: (caller: Parameters<typeof spectators.list>[0], { udid }: { udid: string }) =>
      void deviceControl.seen(caller, udid),
  };
  api.addHook('preClose', async () => spectators.close());

  const audienceOf = (body: { for: string; account?: string; team?: string }): SpectatorAudience => {
    const { account, team } = body;
    if (body.for === 'anyone' && account === undefined && team === undefined) return { kind: 'anyone' };
    if (body.for === 'team' && team !== undefined && account === undefined) return { kind: 'team', id: team };
    if (body.for !== 'account' || account === undefined || team !== undefined) {
      const message = 'for: account with `account`, team with `team`, or anyone';
      throw new Refusal('bad_request', 'audience', { message });
    }
    return { kind: 'account', account };
  };

  handle(
    api,
    routes.createWatchLink,
    (request) => {
      const { caller, params, body } = request;
      const server = addressFor(request, context);
      if (server === undefined) throw new Refusal('bad_request', 'unusable Host header');
      const { minutes = USUAL_MINUTES } = body;
      const made = spectators.create(caller, params.udid, { minutes, audience: audienceOf(body) });
      const url = `${server}${SITE_PREFIX}/watch#${made.secret}`;
      return { watchId: made.link.id, url, expiresAt: instant(made.link.expiresAt) };
    },
    checked,
  );

  handle(
    api,
    routes.listWatchLinks,
    ({ caller, params }) =>
      spectators.list(caller, params.udid).map(({ link, spectators: watching }) => ({
        watchId: link.id,
        for: link.audience.kind,
        createdAt: instant(link.createdAt),
        expiresAt: instant(link.expiresAt),
        watching: watching.map(({ id, account, address, since }) => ({
          ...{ viewerId: id, account, address, since: instant(since) },
        })),
      })),
    checked,
  );

  handle(
    api,
    routes.endWatchLink,
    ({ caller, params }) => spectators.end(caller, params.udid, params.watchId),
    checked,
  );

  handle(
    api,
    routes.endSpectator,
    ({ caller, params }) => spectators.cut(caller, params.udid, params),
    checked,
  );

  const opened = ({ expiresAt, ...rest }: ReturnType<typeof spectators.open>) => ({
    ...rest,
    expiresAt: instant(expiresAt),
  });
  handle(api, routes.openWatchLink, ({ caller, body }) =>
    opened(spectators.open(body.secret, caller, caller.from)),
  );
  handle(api, routes.openPublicWatchLink, ({ body, from }) =>
    opened(spectators.open(body.secret, null, from)),
  );

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
