import type { PlistValue } from './plist.ts';
import {
  isMessage,
  LARGEST_MESSAGE_WHILE_OFF,
  type Message,
  requestUsbmuxd,
  type UsbmuxdAddress,
} from './usbmuxd.ts';

/**
 * One connection of an iOS device to usbmuxd. A device that is connected in two ways, such as USB and network, has two
 * ids.
 */
export interface Attached {
  readonly id: number;
  readonly udid: string;
}

/**
 * Pattern of the UDIDs of iOS devices. Other ids are ignored: an id becomes part of a command line of go-ios, so it
 * must contain no unexpected characters.
 */
const UDID = /^[0-9A-Fa-f][0-9A-Fa-f-]{7,63}$/;

/**
 * @returns the device that usbmuxd describes in an entry of `DeviceList` or in an `Attached` message, or undefined if
 * its id or UDID is missing or invalid
 */
export function attachedOf(value: PlistValue | undefined): Attached | undefined {
  if (!isMessage(value) || !isMessage(value.Properties)) return undefined;
  const { SerialNumber: udid } = value.Properties;
  const { DeviceID: id } = value;
  if (typeof id !== 'number' || typeof udid !== 'string' || !UDID.test(udid)) return undefined;
  return { id, udid };
}

/** Asks usbmuxd once for its devices. Rejects if usbmuxd does not respond within `timeoutMs`. */
export async function listAttached(address: UsbmuxdAddress, timeoutMs: number): Promise<Attached[]> {
  const answer = await new Promise<Message>((resolve, reject) => {
    const late = () => {
      connection.close();
      reject(new Error('usbmuxd does not answer'));
    };
    const timer = setTimeout(late, timeoutMs).unref();
    const done = (settle: () => void) => {
      clearTimeout(timer);
      connection.close();
      settle();
    };
    const connection = requestUsbmuxd(
      address,
      'ListDevices',
      {
        message: (message) => done(() => resolve(message)),
        ended: (cause) => done(() => reject(cause)),
      },
      LARGEST_MESSAGE_WHILE_OFF,
    );
  });
  const { DeviceList: list } = answer;
  if (!Array.isArray(list))
    throw new Error('the server at this address does not use the protocol of usbmuxd');
  return list.flatMap((entry) => attachedOf(entry) ?? []);
}
