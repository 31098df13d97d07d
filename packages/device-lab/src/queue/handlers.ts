import { type Handlers, instant } from '@svc/module';
import type { PhoneQueue } from './phone-queue.ts';
import type { QueueDirectory, WaitingView } from './queue-directory.ts';

/** Handler that shows which requests wait for a phone (contract 13). */
export function queueHandlers(queue: Pick<PhoneQueue, 'waiting'>, directory: QueueDirectory): Handlers {
  return {
    getQueue: ({ caller }) => ({
      waiting: queue.waiting,
      items: directory.list(caller).map(describe),
    }),
  };
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
