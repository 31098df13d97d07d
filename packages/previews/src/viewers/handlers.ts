import { type Caller, Refusal } from '@svc/auth-core';
import { SITE_PREFIX } from '@svc/contract';
import type { Device, DeviceControl } from '@svc/device-lab';
import { type Handlers, instant } from '@svc/module';
import type { Previews } from '../relays/previews.ts';
import type { Screenshots } from './screenshots.ts';
import type { Spectators } from './spectators.ts';
import type { Streams } from './streams.ts';
import type { SpectatorAudience } from './watch-link.ts';

const USUAL_MINUTES = 30;

interface Tools {
  readonly deviceControl: DeviceControl;
  readonly previews: Previews;
  readonly screenshots: Screenshots;
  readonly spectators: Spectators;
  readonly streams: Streams;
}

/** Handlers of pictures, of the tickets for streams, and of links for spectators (specification 5.8, contract 2). */
export function viewerHandlers({
  deviceControl,
  previews,
  screenshots,
  spectators,
  streams,
}: Tools): Handlers {
  const authorize = (caller: Caller, { udid }: { udid: string }) => void deviceControl.seen(caller, udid);
  const shows = (caller: Caller, kind: 'frames' | 'video', device: Device) =>
    previews.has(kind, device) && !streams.hidesPicture(caller, kind, device.udid);
  return {
    takeScreenshot: {
      authorize,
      file: async ({ caller, params }) => {
        const { picture, type } = await screenshots.take(caller, params.udid);
        return { type, headers: { 'cache-control': 'no-store' }, content: picture };
      },
    },
    deviceStreams: ({ caller, params }) => {
      const device = deviceControl.seen(caller, params.udid);
      return {
        mjpeg: shows(caller, 'frames', device),
        h264: shows(caller, 'video', device),
        logs: previews.has('lines', device),
      };
    },
    issueStreamTicket: { authorize, answer: ({ caller, params }) => streams.issue(caller, params.udid) },
    createWatchLink: {
      authorize,
      answer: ({ caller, params, body }, { address }) => {
        if (address === undefined) throw new Refusal('bad_request', 'unusable Host header');
        const { minutes = USUAL_MINUTES } = body;
        const made = spectators.create(caller, params.udid, { minutes, audience: audienceOf(body) });
        const url = `${address}${SITE_PREFIX}/watch#${made.secret}`;
        return { watchId: made.link.id, url, expiresAt: instant(made.link.expiresAt) };
      },
    },
    listWatchLinks: {
      authorize,
      answer: ({ caller, params }) =>
        spectators.list(caller, params.udid).map(({ link, spectators: watching }) => ({
          watchId: link.id,
          for: link.audience.kind,
          createdAt: instant(link.createdAt),
          expiresAt: instant(link.expiresAt),
          watching: watching.map(({ id, account, address, since }) => ({
            ...{ viewerId: id, account, address, since: instant(since) },
          })),
        })),
    },
    endWatchLink: {
      authorize,
      answer: ({ caller, params }) => spectators.end(caller, params.udid, params.watchId),
    },
    endSpectator: { authorize, answer: ({ caller, params }) => spectators.cut(caller, params.udid, params) },
    openWatchLink: ({ caller, body }) => opened(spectators.open(body.secret, caller, caller.from)),
    openPublicWatchLink: ({ body, from }) => opened(spectators.open(body.secret, null, from)),
  };
}

function opened({ expiresAt, ...rest }: ReturnType<Spectators['open']>) {
  return { ...rest, expiresAt: instant(expiresAt) };
}

function audienceOf(body: { for: string; account?: string; team?: string }): SpectatorAudience {
  const { account, team } = body;
  if (body.for === 'anyone' && account === undefined && team === undefined) return { kind: 'anyone' };
  if (body.for === 'team' && team !== undefined && account === undefined) return { kind: 'team', id: team };
  if (body.for !== 'account' || account === undefined || team !== undefined) {
    const message = 'for: account with `account`, team with `team`, or anyone';
    throw new Refusal('bad_request', 'audience', { message });
  }
  return { kind: 'account', account };
}
