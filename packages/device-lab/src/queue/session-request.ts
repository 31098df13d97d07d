import { type Caller, holds } from '@svc/auth-core';
import type { Admission } from '../admission.ts';
import { type DeviceRequest, fittingDevices, NoMatchingDevice } from '../allocate-device.ts';
import { CreateRefused } from '../create-refused.ts';
import type { Devices } from '../devices.ts';
import type { PhoneView } from '../matching/phone-view.ts';
import type { Reservation, Reservations } from '../reservations.ts';
import { ShareReached } from '../shares/share-limits.ts';
import type { Shares } from '../shares/shares.ts';
import type { PhoneQueue } from './phone-queue.ts';
import type { Patience, PhoneRequest, WantedPhone } from './phone-request.ts';

interface Tools {
  readonly reservations: Reservations;
  readonly devices: Devices;
  readonly shares: Shares;
}

/**
 * Describes, for the queue, a create-session request that needs a device of the lab. `requestOf` computes the device
 * request from the current rights of the session's owner.
 */
export function sessionRequest(
  admission: Admission,
  requestOf: (caller: Caller | null) => DeviceRequest,
  { reservations, devices, shares }: Tools,
): PhoneRequest<Reservation> {
  const isKnown = (caller: Caller | null, isFirst: boolean): boolean => {
    if (devices.isEmpty) return true;
    const request = requestOf(caller);
    if (takesNone(request)) return true;
    const known = devices.list().filter(fittingDevices(devices, request));
    return known.some(({ udid }) => !isFirst || devices.statusOf(udid) !== 'away');
  };
  const asked = requestOf(admission.caller);
  // A waiting request is tried at each change of a status. Which phones fit changes only with their facts.
  let fitting: { readonly revision: number; readonly udids: ReadonlySet<string> } | undefined;
  const fittingNow = (request: DeviceRequest): ReadonlySet<string> => {
    const { revision } = devices;
    if (fitting?.revision !== revision) {
      const fits = devices.list().filter(fittingDevices(devices, request));
      fitting = { revision, udids: new Set(fits.map(({ udid }) => udid)) };
    }
    return fitting.udids;
  };
  return {
    ...requestFrom(admission, wantedPhone(asked), shares),
    needsDevice: !takesNone(asked),
    take: (caller) => reservations.reserve(requestOf(caller), caller?.credential.agent ?? null),
    canWait: (error, caller, isFirst) => {
      if (isLimit(error)) return isKnown(caller, isFirst);
      return (
        error instanceof NoMatchingDevice && (error.why === 'busy' || (error.why === 'away' && !isFirst))
      );
    },
    usable: (caller) => {
      const request = requestOf(caller);
      const fits = fittingNow(request);
      return ({ udid }) => fits.has(udid) && request.claimOn?.(udid) !== 'others';
    },
  };
}

/** @returns whether the request can be served without a device, by a session on the desktop of the host */
function takesNone({ views }: DeviceRequest): boolean {
  return views.some(({ takesPhone }) => !takesPhone);
}

/** @returns the description of a request's first view, or of the first view that names a udid */
function wantedPhone({ views }: DeviceRequest): WantedPhone {
  const { udid, platform, tags } = views.find((each) => each.udid !== null) ?? (views[0] as PhoneView);
  return { udid, platform, tags };
}

/**
 * Describes, for the queue, a create-session request to a grid. The grid picks the device, so the request waits only if
 * the session limit is reached.
 */
export function placeRequest(
  admission: Admission,
  take: () => Reservation,
  shares: Shares,
): PhoneRequest<Reservation> {
  return {
    ...requestFrom(admission, { udid: null, platform: null, tags: [] }, shares),
    needsDevice: false,
    take,
    canWait: isLimit,
    usable: () => () => false,
  };
}

/** Waits in the queue until the request gets a reservation, and stores the waiting time in the reservation. */
export async function reservedInTurn(
  queue: PhoneQueue,
  request: PhoneRequest<Reservation>,
  patience: Patience,
): Promise<Reservation> {
  let waitedMs = 0;
  const waited = (ms: number): void => {
    waitedMs = ms;
    patience.waited?.(ms);
  };
  const reservation = await queue.take(request, { ...patience, waited });
  reservation.waitedMs = waitedMs;
  return reservation;
}

function requestFrom(
  { caller, lacksCredentials }: Admission,
  wants: WantedPhone,
  shares: Shares,
): Pick<PhoneRequest<Reservation>, 'kind' | 'caller' | 'countedAs' | 'wants' | 'heldBack' | 'lostRight'> {
  return {
    kind: 'session',
    caller,
    // Count all requests without credentials as one account, so that unauthenticated clients cannot fill the queue.
    // With sign-in off, no request has an account, so only the limit of the whole queue applies.
    countedAs: caller?.account.id ?? (lacksCredentials ? 'no account' : null),
    wants,
    heldBack: (current) => waitingFor(shares.reached(current?.account.id ?? null, 'sessions')),
    lostRight: ({ scopes }) => (holds(scopes, 'sessions') ? null : 'the credential lacks the sessions scope'),
  };
}

/** @returns whether the end of another session lets a request in that was refused with this error */
function isLimit(error: unknown): boolean {
  return (
    (error instanceof CreateRefused && error.kind === 'session-limit') ||
    (error instanceof ShareReached && error.mayWait)
  );
}

/** @returns why a request waits for its share, or null if it does not: it is then tried, and refused if it must be */
export function waitingFor(reached: ShareReached | null): string | null {
  return reached?.mayWait === true ? reached.message : null;
}
