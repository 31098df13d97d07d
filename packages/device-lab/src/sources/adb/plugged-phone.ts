import type { PluggedPhone, PluggedState } from '../host-phones.ts';
import type { AdbDevice } from './adb-list.ts';

const STATES: Readonly<Record<string, PluggedState>> = {
  device: 'ready',
  unauthorized: 'unauthorized',
  authorizing: 'unauthorized',
  offline: 'offline',
  connecting: 'offline',
  no: 'no permissions',
};

/** @returns a phone from adb's list, as it is shown to Admins */
export function pluggedPhone(
  { serial, model, state }: AdbDevice,
  osVersion: string | null = null,
): PluggedPhone {
  return { udid: serial, name: model || null, osVersion, state: STATES[state] ?? 'other' };
}
