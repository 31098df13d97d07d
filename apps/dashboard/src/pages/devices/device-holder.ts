import { texts } from '../../texts/en.ts';
import type { Tone } from '../../ui/index.ts';
import type { Device } from './seen-devices.ts';

export const DEVICE_STATES = ['free', 'busy', 'leased', 'out', 'away'] as const;
/**
 * State of a phone as the page shows it: the status from the API, except that a free phone with a lease is `leased`,
 * and one that is out of service is `out`.
 */
export type DeviceState = (typeof DEVICE_STATES)[number];

type StateFields = Pick<Device, 'status' | 'lease' | 'outOfService'>;

export function stateOf({ status, lease, outOfService }: StateFields): DeviceState {
  if (status !== 'free') return status;
  if (lease !== undefined) return 'leased';
  return outOfService === null ? 'free' : 'out';
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
      ? { tone: 'own', text: holder.leasedToYou }
      : { tone: 'warn', text: holder.leasedTo(lease.owner.email) };
  }
  if (state === 'busy' && session?.owner != null) {
    return session.owner.id === viewerId
      ? { tone: 'own', text: holder.usedByYou }
      : { tone: 'warn', text: holder.usedBy(session.owner.email) };
  }
  return { tone: TONES[state], text: statuses[state] };
}

const TONES = { free: 'good', leased: 'warn', busy: 'warn', out: 'bad', away: 'plain' } as const;

export type RowAction = 'lease' | 'control' | 'watch';

/**
 * @returns the one action that the list offers for a phone: to control an own phone, to lease a free one, or to watch
 * another; undefined for a phone that is away
 */
export function actionOf(device: Device, viewerId: string): RowAction | undefined {
  const state = stateOf(device);
  if (state === 'away') return undefined;
  if (isMine(device, viewerId)) return 'control';
  return state === 'free' ? 'lease' : 'watch';
}

/** @returns the number of phones in each state, without the states that no phone is in */
export function countsOf(devices: readonly StateFields[]): readonly (readonly [DeviceState, number])[] {
  return DEVICE_STATES.map(
    (state) => [state, devices.filter((device) => stateOf(device) === state).length] as const,
  ).filter(([, count]) => count > 0);
}
