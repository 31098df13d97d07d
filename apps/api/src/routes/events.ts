import { Refusal } from '@svc/auth-core';
import { routes } from '@svc/contract';
import { EventConnections } from '@svc/device-lab';
import { instant, mapped } from '@svc/module';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';
import { handleSocket } from '../web-sockets/handle-socket.ts';
import { onlyText } from '../wire/only-text.ts';

const USE = { audience: 'svc-events', resource: null } as const;

/** Registers the routes for live events and the event log (contract 2, specification 6). */
export function eventRoutes(api: App, context: HttpContext): void {
  const { services } = context;
  const { tickets, eventLog } = services;
  const connections = new EventConnections(services);

  handle(api, routes.issueEventsTicket, ({ caller }) => tickets.issue(caller, USE));

  handleSocket(api, context, routes.liveEvents, {
    admit: ({ caller, query }) => {
      if (!connections.hasRoomFor(caller)) {
        throw new Refusal('rate limit exceeded', 'too many event connections of one account');
      }
      return { caller, resume: onlyText(query.resume) };
    },
    open: (socket, { caller, resume }) => connections.open(socket, caller, resume),
  });

  handle(api, routes.eventLog, async (request, reply) => {
    const {
      caller,
      query: { before, limit },
    } = request;
    const { items, next } = eventLog.page(caller, {
      ...(before === undefined ? {} : { before }),
      ...(limit === undefined ? {} : { limit: Number(limit) }),
    });
    const shown = mapped(items, (event) => ({ ...event, at: instant(event.at) }));
    return await context.reads.sendPage({ request, reply }, routes.eventLog, shown, next);
  });
}
