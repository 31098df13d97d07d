import type { Log } from '@svc/auth-core';
import type { SourceDevice } from '../../device.ts';
import { type HostLook, type HostPhones, NOTHING_THERE } from '../host-phones.ts';
import { type AdbAddress, AdbConnection } from './adb-connection.ts';
import { devicesOfList } from './adb-list.ts';
import { AdbSource } from './adb-source.ts';
import { pluggedPhone } from './plugged-phone.ts';

/** Time limit (ms) for each of the three steps of a query: connecting, the response, and the list of devices. */
const LOOK_MS = 500;

interface AdbPhonesOptions {
  readonly address: AdbAddress;
  /** Value of `SVC_ADB`, or null if it is not set. */
  readonly fixed: boolean | null;
  readonly details: ReadonlyMap<string, Partial<SourceDevice>>;
  readonly log: Log;
}

/** @returns the phones of the adb server at `address` */
export function adbPhones({ address, fixed, details, log }: AdbPhonesOptions): HostPhones {
  return {
    name: 'adb',
    address: `${address.host}:${address.port}`,
    variable: 'SVC_ADB',
    fixed,
    look: () => lookAt(address),
    source: () => new AdbSource({ address, details, log }),
  };
}

async function lookAt(address: AdbAddress): Promise<HostLook> {
  let connection: AdbConnection | undefined;
  try {
    connection = await AdbConnection.open(address, LOOK_MS);
    await connection.request('host:devices-l', LOOK_MS);
    const list = devicesOfList(String(await connection.frame(LOOK_MS, LOOK_MS)));
    return { answers: true, phones: list.map((device) => pluggedPhone(device)) };
  } catch {
    // No adb server runs on this host, or another program uses its port.
    return NOTHING_THERE;
  } finally {
    connection?.close();
  }
}
