import { routes } from '@svc/contract';
import type { WaitingView } from '@svc/device-lab';
import { instant } from '@svc/module';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';

/** Registers the route that shows which requests wait for a phone (contract 13). */
export function queueRoutes(api: App, { services: { lab, queue } }: HttpContext): void {
  handle(api, routes.getQueue, ({ caller }) => ({
    waiting: lab.queue.waiting,
    items: queue.list(caller).map(describe),
  }));
}

function describe({ kind, place, since, until, isOwn: own, owner, wants, because }: WaitingView) {
  return {
    kind,
    place,
    since: instant(since),
    until: instant(until),
    own,
    owner: owner === null ? null : { id: owner.id, email: owner.email },
    wants,
    because,
  };
}
