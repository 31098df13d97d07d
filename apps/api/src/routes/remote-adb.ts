import type { Caller } from '@svc/auth-core';
import { routes } from '@svc/contract';
import { instant } from '@svc/module';
import type { RemotePhones } from '@svc/previews';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';
import { handleSocket } from '../web-sockets/handle-socket.ts';

const ADB = {
  issue: routes.issueAdbTicket,
  open: routes.openAdb,
  list: routes.listAdbUses,
  end: routes.endAdbUse,
};
const USB = {
  issue: routes.issueUsbTicket,
  open: routes.openUsb,
  list: routes.listUsbUses,
  end: routes.endUsbUse,
};

/** Registers the routes with which the holder of a phone uses it from their own machine (contract 16). */
export function remoteAdbRoutes(api: App, context: HttpContext): void {
  register(api, context, ADB, context.services.remoteAdb);
  register(api, context, USB, context.services.remoteUsb);
}

function register(
  api: App,
  context: HttpContext,
  names: typeof ADB | typeof USB,
  phones: RemotePhones,
): void {
  const { deviceControl } = context.services;
  api.addHook('preClose', async () => phones.close());

  const authorizeResource = (caller: Caller, { udid }: { udid: string }) =>
    void deviceControl.seen(caller, udid);

  handle(api, names.issue, ({ caller, params }) => phones.issue(caller, params.udid), { authorizeResource });

  handleSocket(api, context, names.open, {
    admit: ({ params, sender }) => phones.admit(params.udid, sender),
    open: (socket, admitted) => phones.open(socket, admitted),
    carriesData: true,
  });

  handle(api, names.list, ({ caller, params }) =>
    phones.list(caller, params.udid).map(({ id, caller: { account }, since, sockets, ...use }) => ({
      id,
      owner: { id: account.id, email: account.email },
      since: instant(since),
      sockets: sockets.size,
      toPhone: use.toPhone,
      fromPhone: use.fromPhone,
    })),
  );

  handle(api, names.end, ({ caller, params }) => phones.cut(caller, params.udid, params.id), {
    authorizeResource,
  });
}
