import type { Devices } from '../devices.ts';
import type { Reservation } from '../reservations.ts';

/** Time (ms) after which a refusal no longer leads to a second try, because the client has already waited for long. */
const SOON_MS = 30_000;

/** @returns whether the phone was refused early enough that the create is tried on another one (contract 17.2) */
export function isSoon(startedAt: number, now: number): boolean {
  return now - startedAt < SOON_MS;
}

/**
 * Reserves another phone for a create whose phone the driver has refused, and writes the capabilities of the client
 * back into `wanted`, as they were before the lab wrote the first phone into them.
 * @returns null if no other phone of this server is free that fits
 */
export function reserveSecond(
  { device: first, madeFor }: Reservation,
  wanted: Record<string, unknown>,
  devices: Pick<Devices, 'isBlocked' | 'block' | 'unblock'>,
  reserve: (original: unknown) => Reservation,
): Reservation | null {
  // Only a phone of this server is replaced, because a node does the same for its own.
  if (first === null || first.node !== null || madeFor === null) return null;
  const original = JSON.parse(madeFor) as Record<string, unknown>;
  const reservation = without(first.udid, devices, () => reserve(original));
  if (reservation === null) return null;
  if (reservation.device === null || reservation.device.udid === first.udid) {
    reservation.cancel();
    return null;
  }
  for (const name of Object.keys(wanted)) delete wanted[name];
  Object.assign(wanted, original);
  return reservation;
}

/** Keeps a phone from this reservation. Nothing else runs meanwhile, because `work` is synchronous. */
function without(
  udid: string,
  devices: Pick<Devices, 'isBlocked' | 'block' | 'unblock'>,
  work: () => Reservation,
): Reservation | null {
  const wasBlocked = devices.isBlocked(udid);
  if (!wasBlocked) devices.block(udid);
  try {
    return work();
  } catch {
    return null;
  } finally {
    if (!wasBlocked) devices.unblock(udid);
  }
}
