import type { DeviceStatus } from '../device.ts';
import type { Claim } from '../leases/lease.ts';
import type { Candidate } from './condition.ts';
import { fitsView } from './fitting.ts';
import type { PhoneView } from './phone-view.ts';

/** State of the phones at the time of the choice. */
export interface PhoneStates {
  statusOf(udid: string): DeviceStatus;
  /** Called for each phone that fits if none of them can be taken now. */
  want?(udid: string): void;
  /** Returns the relation of the request to the lease of a phone. */
  claimOn(udid: string): Claim;
  /** Returns the time (ms since 1970) since which a free phone has been idle. */
  idleSince(udid: string): number;
}

/**
 * Order in which phones are preferred: first the phone of the lease that the request names, then a phone that the caller
 * has leased, then a phone without a lease (contract 2). A phone that someone else has leased counts as busy, even for
 * Admins who can control all sessions.
 */
const PRECEDENCE: readonly Claim[] = ['brought', 'own', 'none'];

/**
 * Result of a choice: a phone, `desktop` for a session that takes no phone, or the reason why there is none. The phones
 * that fit are all in use or leased (`busy`) or not connected to the lab now (`away`), or no phone fits (`none`).
 */
export type Choice =
  | { readonly kind: 'phone'; readonly view: PhoneView; readonly phone: Candidate }
  | { readonly kind: 'desktop'; readonly view: PhoneView }
  | { readonly kind: 'busy' | 'away' | 'none' };

/** Takes the first view with a free phone, and of its free phones a leased one or the one that was idle longest. */
export function choosePhone(
  views: readonly PhoneView[],
  visible: readonly Candidate[],
  states: PhoneStates,
): Choice {
  let refused: 'busy' | 'away' | 'none' = 'none';
  for (const view of views) {
    if (!view.takesPhone) return { kind: 'desktop', view };
    const fitting = visible.filter(fitsView(view, () => visible));
    const [phone] = inOrder(fitting, states);
    if (phone !== undefined) return { kind: 'phone', view, phone };
    for (const { device } of fitting) states.want?.(device.udid);
    if (fitting.some(({ device }) => states.statusOf(device.udid) !== 'away')) refused = 'busy';
    else if (fitting.length > 0 && refused === 'none') refused = 'away';
  }
  return { kind: refused };
}

/** @returns the phones that can be taken now, in the order in which they would be taken (contract 14.3) */
export function inOrder(fitting: readonly Candidate[], states: PhoneStates): Candidate[] {
  return fitting
    .filter(({ device }) => states.statusOf(device.udid) === 'free')
    .map((phone) => {
      const { udid } = phone.device;
      return { phone, rank: PRECEDENCE.indexOf(states.claimOn(udid)), since: states.idleSince(udid) };
    })
    .filter(({ rank }) => rank !== -1)
    .sort((a, b) => a.rank - b.rank || a.since - b.since)
    .map(({ phone }) => phone);
}
