import { Refusal } from '@svc/auth-core';
import { routes } from '@svc/contract';
import { EventConnections } from '@svc/device-lab';
import type { App, LabContext } from '../http/http-context.ts';
import { handleSocket } from '../web-sockets/handle-socket.ts';
import { onlyText } from '../wire/only-text.ts';

/** Registers the route for live events (contract 2, specification 6). */
export function eventRoutes(api: App, context: LabContext): void {
  const connections = new EventConnections({
    ...context.services,
    eventFeed: context.services.modules.lab.offers.eventFeed,
  });

  handleSocket(api, context, routes.liveEvents, {
    admit: ({ caller, query }) => {
      if (!connections.hasRoomFor(caller)) {
        throw new Refusal('rate limit exceeded', 'too many event connections of one account');
      }
      return { caller, resume: onlyText(query.resume) };
    },
    open: (socket, { caller, resume }) => connections.open(socket, caller, resume),
  });
}
