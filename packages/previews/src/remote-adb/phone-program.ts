import type { Socket } from 'node:net';
import { type AdbAddress, connectToPhone, type Device, type UsbmuxdAddress } from '@svc/device-lab';
import { parseAdbService } from './adb-service.ts';
import { featuresOf, openService } from './local-adb.ts';
import type { RefusedService, RemoteService } from './remote-service.ts';
import { parseUsbService, portOf } from './usb-service.ts';

/** A program of the lab's host that connects to services of its phones: an adb server or usbmuxd. */
export interface PhoneProgram {
  /** Name of its part of the REST API, of its tickets and of the action of a hub. */
  readonly name: 'adb' | 'usb';
  /** Event of the audit trail (contract 16.3). */
  readonly event: 'device_adb' | 'device_usb';
  /** Whether the program lists the phone now. Not asked for phones of nodes. */
  lists(device: Device): boolean;
  /** @returns the service that a client asks for, or the name that is refused */
  parse(text: string): RemoteService | RefusedService;
  /** @returns the features of the phone that programs need to know */
  features(udid: string): Promise<readonly string[]>;
  /** Connects to a service. Rejects with an error whose message the client may see. */
  connect(udid: string, request: string): Promise<Socket>;
}

export function adbProgram(adb: { readonly address: AdbAddress; isOn(): boolean }): PhoneProgram {
  return {
    name: 'adb',
    event: 'device_adb',
    lists: ({ logs }) => logs === 'adb' && adb.isOn(),
    parse: parseAdbService,
    features: (udid) => featuresOf(adb.address, udid),
    connect: (udid, request) => openService(adb.address, udid, request),
  };
}

export function usbProgram(usbmuxd: {
  readonly address: UsbmuxdAddress;
  /** Whether the lab uses usbmuxd now and usbmuxd lists the phone. */
  lists(udid: string): boolean;
}): PhoneProgram {
  return {
    name: 'usb',
    event: 'device_usb',
    lists: ({ udid }) => usbmuxd.lists(udid),
    parse: parseUsbService,
    features: async () => [],
    connect: (udid, request) => connectToPhone(usbmuxd.address, udid, portOf(request)),
  };
}
