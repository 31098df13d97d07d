import type { Tickets } from '@svc/auth-core';
import { type Handlers, instant, mapped } from '@svc/module';
import type { EventLog } from './event-log.ts';

const USE = { audience: 'svc-events', resource: null } as const;

/** Handlers of the event log and of the tickets for live events (contract 2, specification 6). */
export function eventHandlers(eventLog: EventLog, tickets: Pick<Tickets, 'issue'>): Handlers {
  return {
    issueEventsTicket: ({ caller }) => tickets.issue(caller, USE),
    eventLog: {
      page: ({ caller, query: { before, limit } }) => {
        const { items, next } = eventLog.page(caller, {
          ...(before === undefined ? {} : { before }),
          ...(limit === undefined ? {} : { limit: Number(limit) }),
        });
        return { items: mapped(items, (event) => ({ ...event, at: instant(event.at) })), next };
      },
    },
  };
}
