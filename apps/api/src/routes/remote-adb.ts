import type { Caller } from '@svc/auth-core';
import { routes } from '@svc/contract';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';
import { handleSocket } from '../web-sockets/handle-socket.ts';
import { instant } from '../wire/instant.ts';

/** Registers the routes with which the holder of a phone uses adb from their own machine (contract 16). */
export function remoteAdbRoutes(api: App, context: HttpContext): void {
  const { remoteAdb, deviceControl } = context.services;
  api.addHook('preClose', async () => remoteAdb.close());

  const authorizeResource = (caller: Caller, { udid }: { udid: string }) =>
    void deviceControl.seen(caller, udid);

  handle(api, routes.issueAdbTicket, ({ caller, params }) => remoteAdb.issue(caller, params.udid), {
    authorizeResource,
  });

  handleSocket(api, context, routes.openAdb, {
    admit: ({ params, sender }) => remoteAdb.admit(params.udid, sender),
    open: (socket, admitted) => remoteAdb.open(socket, admitted),
    carriesData: true,
  });

  handle(api, routes.listAdbUses, ({ caller, params }) =>
    remoteAdb.list(caller, params.udid).map(({ id, caller: { account }, since, sockets, ...use }) => ({
      id,
      owner: { id: account.id, email: account.email },
      since: instant(since),
      sockets: sockets.size,
      toPhone: use.toPhone,
      fromPhone: use.fromPhone,
    })),
  );

  handle(api, routes.endAdbUse, ({ caller, params }) => remoteAdb.cut(caller, params.udid, params.id), {
    authorizeResource,
  });
}
