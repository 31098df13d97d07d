import type { Caller } from '@svc/auth-core';
import type { DeviceControl } from '@svc/device-lab';
import { type Handlers, instant } from '@svc/module';
import type { RemotePhones } from './remote-phones.ts';

interface Request<More = unknown> {
  readonly caller: Caller;
  readonly params: { readonly udid: string } & More;
}

interface Tools {
  readonly deviceControl: Pick<DeviceControl, 'seen'>;
  readonly adb: RemotePhones;
  readonly usb: RemotePhones;
}

/** Handlers of the use of a phone from its holder's own machine (contract 16). */
export function remoteHandlers({ deviceControl, adb, usb }: Tools): Handlers {
  const of = (phones: RemotePhones) => {
    const authorize = (caller: Caller, { udid }: { udid: string }) => void deviceControl.seen(caller, udid);
    return {
      issue: {
        authorize,
        answer: ({ caller, params }: Request) => phones.issue(caller, params.udid),
      },
      list: ({ caller, params }: Request) => usesOf(phones, caller, params.udid),
      end: {
        authorize,
        answer: ({ caller, params }: Request<{ id: string }>) => phones.cut(caller, params.udid, params.id),
      },
    };
  };
  const ofAdb = of(adb);
  const ofUsb = of(usb);
  return {
    issueAdbTicket: ofAdb.issue,
    listAdbUses: ofAdb.list,
    endAdbUse: ofAdb.end,
    issueUsbTicket: ofUsb.issue,
    listUsbUses: ofUsb.list,
    endUsbUse: ofUsb.end,
  };
}

function usesOf(phones: RemotePhones, caller: Caller, udid: string) {
  return phones.list(caller, udid).map(({ id, caller: { account }, since, sockets, ...use }) => ({
    id,
    owner: { id: account.id, email: account.email },
    since: instant(since),
    sockets: sockets.size,
    toPhone: use.toPhone,
    fromPhone: use.fromPhone,
  }));
}
