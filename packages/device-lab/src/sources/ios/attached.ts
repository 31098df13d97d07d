import type { PlistValue } from './plist.ts';
import { isMessage, type Message, requestUsbmuxd, type UsbmuxdAddress } from './usbmuxd.ts';

/** An iOS device that usbmuxd reports. A device has one id for each way in which it is connected. */
export interface Attached {
  readonly id: number;
  readonly udid: string;
}

/** Form of the UDIDs of all iOS devices. Other texts are ignored, because the udid becomes an argument of a program. */
const UDID = /^[0-9A-Fa-f][0-9A-Fa-f-]{7,63}$/;

/** @returns the device of an entry of `DeviceList` or of an `Attached` message, or undefined if it is unusable */
export function attachedOf(value: PlistValue | undefined): Attached | undefined {
  if (!isMessage(value) || !isMessage(value.Properties)) return undefined;
  const { SerialNumber: udid } = value.Properties;
  const { DeviceID: id } = value;
  if (typeof id !== 'number' || typeof udid !== 'string' || !UDID.test(udid)) return undefined;
  return { id, udid };
}

/** Queries usbmuxd once for its devices. Rejects if it does not respond in time. */
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
    const connection = requestUsbmuxd(address, 'ListDevices', {
      message: (message) => done(() => resolve(message)),
      ended: (cause) => done(() => reject(cause)),
    });
  });
  const { DeviceList: list } = answer;
  if (!Array.isArray(list))
    throw new Error('the server at this address does not use the protocol of usbmuxd');
  return list.flatMap((entry) => attachedOf(entry) ?? []);
}
