import type { Device } from '../device.ts';
import type { NewLabEvent } from './lab-events.ts';

type Phone = Pick<Device, 'udid' | 'name' | 'teamId'>;

/** @returns the event that the lab has put a phone out of service, for everyone who may see the phone */
export function phoneUnhealthy(phone: Phone, reason: string): NewLabEvent {
  return eventOf('device_unhealthy', phone, reason);
}

/** @returns the event that a phone which the lab had put out is in service again, with the reason why */
export function phoneHealthy(phone: Phone, reason: string): NewLabEvent {
  return eventOf('device_healthy', phone, reason);
}

function eventOf(
  type: 'device_healthy' | 'device_unhealthy',
  { udid, name, teamId }: Phone,
  reason: string,
): NewLabEvent {
  return { type, payload: { udid, name, reason }, audience: { kind: 'device', teamId } };
}
