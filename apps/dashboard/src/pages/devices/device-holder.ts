import { texts } from '../../texts/en.ts';
import type { Tone } from '../../ui/index.ts';
import type { Device } from './seen-devices.ts';

export const DEVICE_STATES = ['free', 'leased', 'busy', 'away'] as const;
/**
 * State of a phone as the page shows it: the status from the API, except that a free phone with a lease is `leased`.
 */
export type DeviceState = (typeof DEVICE_STATES)[number];

const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

export function stateOf({ status, lease }: Pick<Device, 'status' | 'lease'>): DeviceState {
  return status === 'free' && lease !== undefined ? 'leased' : status;
}

/** @returns whether the viewer has leased the phone, or a session of theirs runs on it */
export function isMine({ lease, session }: Pick<Device, 'lease' | 'session'>, viewerId: string): boolean {
  return lease?.owner.id === viewerId || session?.owner?.id === viewerId;
}

/** @returns the state of a phone in a few words, with the user who holds the phone if the viewer is allowed to know */
export function holderOf(device: Device, viewerId: string): { readonly tone: Tone; readonly text: string } {
  const { statuses, holder } = texts.devices;
  const { lease, session } = device;
  const state = stateOf(device);
  if (state === 'leased' && lease !== undefined) {
    return lease.owner.id === viewerId
      ? { tone: 'own', text: holder.leasedToYou(TIME.format(new Date(lease.expiresAt))) }
      : { tone: 'warn', text: holder.leasedTo(lease.owner.email) };
  }
  if (state === 'busy' && session?.owner != null) {
    return session.owner.id === viewerId
      ? { tone: 'own', text: holder.usedByYou }
      : { tone: 'warn', text: holder.usedBy(session.owner.email) };
  }
  return { tone: TONES[state], text: statuses[state] };
}

const TONES = { free: 'good', leased: 'warn', busy: 'warn', away: 'plain' } as const;
