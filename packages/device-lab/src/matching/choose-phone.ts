import type { Devices } from '../devices.ts';
import type { Claim } from '../leases/lease.ts';
import { type Candidate, sameTextAs } from './condition.ts';
import type { PhoneView } from './phone-view.ts';

/** State of the phones at the time of the choice. */
export interface PhoneStates {
  readonly devices: Pick<Devices, 'availabilityOf' | 'idleSinceOf' | 'want'>;
  /** Returns the relation of the request to the lease of a phone. */
  claimOn(udid: string): Claim;
  /** Account that may take a phone which is not clean yet, or null. */
  readonly holderId: string | null;
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
  const { devices, holderId } = states;
  let refused: 'busy' | 'away' | 'none' = 'none';
  for (const view of views) {
    if (!view.takesPhone) return { kind: 'desktop', view };
    const fitting = visible.filter(fitsView(view, () => visible));
    const [phone] = inOrder(fitting, states);
    if (phone !== undefined) return { kind: 'phone', view, phone };
    for (const { device } of fitting) devices.want(device.udid);
    if (fitting.some(({ device }) => devices.availabilityOf(device.udid, holderId) !== 'away'))
      refused = 'busy';
    else if (fitting.length > 0 && refused === 'none') refused = 'away';
  }
  return { kind: refused };
}

/** @returns the phones that can be taken now, in the order in which they would be taken (contract 14.3) */
export function inOrder(fitting: readonly Candidate[], states: PhoneStates): Candidate[] {
  const { devices, holderId } = states;
  const free: { readonly phone: Candidate; readonly rank: number; readonly since: number }[] = [];
  for (const phone of fitting) {
    const { udid } = phone.device;
    if (devices.availabilityOf(udid, holderId) !== 'free') continue;
    const rank = PRECEDENCE.indexOf(states.claimOn(udid));
    if (rank !== -1) free.push({ phone, rank, since: devices.idleSinceOf(udid) ?? 0 });
  }
  return free.sort((a, b) => a.rank - b.rank || a.since - b.since).map(({ phone }) => phone);
}

/**
 * Creates the test whether a phone fits a view, whatever its status. `appium:deviceName` narrows the view only if one of
 * the phones that fit otherwise has this name or model; otherwise it has no effect, as in the drivers (contract 14.3).
 * @param visible returns all phones that the request may use. Called only if the view has a `deviceName`.
 */
export function fitsView(
  view: PhoneView,
  visible: () => readonly Candidate[],
): (phone: Candidate) => boolean {
  if (!view.takesPhone) return () => false;
  const fits = (phone: Candidate) => view.conditions.every((each) => each.holds(phone));
  const { deviceName } = view;
  if (deviceName === null) return fits;
  const isSame = sameTextAs(deviceName);
  const isNamed = ({ device: { name, model } }: Candidate) =>
    isSame(name) || (model !== null && isSame(model));
  const narrows = visible().some((phone) => isNamed(phone) && fits(phone));
  return narrows ? (phone) => isNamed(phone) && fits(phone) : fits;
}
