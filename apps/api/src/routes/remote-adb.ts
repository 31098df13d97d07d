import { routes } from '@svc/contract';
import type { App, LabContext } from '../http/http-context.ts';
import { handleSocket } from '../web-sockets/handle-socket.ts';

/** Registers the routes with which the holder of a phone connects to its services (contract 16). */
export function remoteAdbRoutes(api: App, context: LabContext): void {
  const { remoteAdb, remoteUsb } = context.services.modules.previews.offers;
  for (const { route, phones } of [
    { route: routes.openAdb, phones: remoteAdb },
    { route: routes.openUsb, phones: remoteUsb },
  ])
    handleSocket(api, context, route, {
      admit: ({ params, sender }) => phones.admit(params.udid, sender),
      open: (socket, admitted) => phones.open(socket, admitted),
      carriesData: true,
    });
}
