import type { Log } from '@svc/auth-core';
import { type HostLook, type HostPhones, NOTHING_THERE } from '../host-phones.ts';
import { listAttached } from './attached.ts';
import { goIosDetails } from './go-ios.ts';
import { IosSource } from './ios-source.ts';
import { OwnWda } from './own-wda.ts';
import type { UsbmuxdAddress } from './usbmuxd.ts';

const LOOK_MS = 1_000;
/** Time limit (ms) for one run of go-ios, which reads a phone over USB. */
const DETAILS_MS = 15_000;

interface IosPhonesOptions {
  readonly address: UsbmuxdAddress;
  /** Value of `SVC_IOS`, or null if it is not set. */
  readonly fixed: boolean | null;
  /** Environment variables with which go-ios is run. `PATH` determines where it is found. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether the lab runs WebDriverAgent on the phones with go-ios, and its bundle id, or null for that of go-ios. */
  readonly wda: { readonly isOn: boolean; readonly bundleId: string | null };
  readonly log: Log;
}

/**
 * @returns the iOS phones that the usbmuxd at `address` reports. `look` only asks usbmuxd. The source also runs go-ios
 * to read the details of each phone.
 */
export function iosPhones({ address, fixed, env, wda, log }: IosPhonesOptions): HostPhones {
  return {
    name: 'ios',
    address: 'path' in address ? address.path : `${address.host}:${address.port}`,
    variable: 'SVC_IOS',
    fixed,
    look: () => lookAt(address),
    source: () =>
      new IosSource({
        address,
        details: (udid) => goIosDetails(udid, env, DETAILS_MS),
        ownWda: wda.isOn
          ? (phone) => new OwnWda({ ...phone, address, env, bundleId: wda.bundleId, log })
          : null,
        log,
      }),
  };
}

async function lookAt(address: UsbmuxdAddress): Promise<HostLook> {
  try {
    const udids = new Set((await listAttached(address, LOOK_MS)).map(({ udid }) => udid));
    const phones = [...udids].map((udid) => ({ udid, name: null, osVersion: null, state: 'ready' as const }));
    return { answers: true, phones };
  } catch {
    // No usbmuxd runs on this host, or another program uses its address.
    return NOTHING_THERE;
  }
}
