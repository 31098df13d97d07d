import { caller } from '../../api/current-caller.ts';
import type { Device } from './seen-devices.ts';

export function mayWatch({ status }: Device): boolean {
  return status !== 'away' && hasDevicesScope();
}

export function hasDevicesScope(): boolean {
  const { scopes } = caller.value;
  return scopes.includes('devices') || scopes.includes('admin');
}
