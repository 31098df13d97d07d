import type { DeviceStatus } from '../device.ts';
import { fitsView, inOrder, type PhoneStates } from './choose-phone.ts';
import { type Candidate, type Condition, shown } from './condition.ts';
import type { PhoneView } from './phone-view.ts';

/** A condition that a phone does not meet. `has` is what the phone has instead, or null if it lacks the fact. */
interface Mismatch {
  readonly capability: string;
  readonly wanted: string;
  readonly has: string | null;
}

/** Which phones fit capabilities, and why the others do not (contract 14.4). */
export interface PhoneMatches {
  /** The phones that fit, in the order in which they would be taken. Those that cannot be taken now come last. */
  readonly fits: readonly { readonly phone: Candidate; readonly status: DeviceStatus }[];
  readonly others: readonly { readonly phone: Candidate; readonly why: readonly Mismatch[] }[];
}

/**
 * Returns which phones fit one of the views. Uses the same rules as a create-session request, but takes no phone. A
 * phone that someone else has leased counts as busy.
 */
export function phoneMatches(
  views: readonly PhoneView[],
  visible: readonly Candidate[],
  states: PhoneStates,
): PhoneMatches {
  const tests = views.map((view) => fitsView(view, () => visible));
  const fitting = tests.map((fits) => visible.filter(fits));
  const free = new Set(fitting.flatMap((phones) => inOrder(phones, states)));
  const all = new Set([...free, ...fitting.flat()]);
  const statusOf = (phone: Candidate): DeviceStatus => {
    const status = states.devices.availabilityOf(phone.device.udid, states.holderId);
    return status === 'free' && !free.has(phone) ? 'busy' : status;
  };
  return {
    fits: [...all].map((phone) => ({ phone, status: statusOf(phone) })),
    others: visible
      .filter((phone) => !all.has(phone))
      .map((phone) => ({ phone, why: mismatches(views, phone) })),
  };
}

/** @returns the conditions that a phone does not meet, of the view of which it meets all but the fewest */
function mismatches(views: readonly PhoneView[], phone: Candidate): Mismatch[] {
  const unmet = views.map((view) => unmetBy(view, phone));
  const nearest = unmet.reduce((best, each) => (each.length < best.length ? each : best));
  return nearest.map(({ capability, wanted, has }) => ({
    capability,
    wanted,
    has: has(phone).join(', ') || null,
  }));
}

/** If the phone meets all conditions, it was excluded because another phone has the wanted name (`appium:deviceName`). */
function unmetBy(
  { conditions, deviceName }: PhoneView,
  phone: Candidate,
): Pick<Condition, 'capability' | 'wanted' | 'has'>[] {
  const unmet = conditions.filter((each) => !each.holds(phone));
  if (unmet.length > 0 || deviceName === null) return unmet;
  return [{ capability: 'appium:deviceName', wanted: shown(deviceName), has: ({ device }) => [device.name] }];
}

const LONGEST_DETAIL = 1_000;

/** @returns a short text that says of each phone why it does not fit, for Admins who look up a refusal */
export function mismatchText(views: readonly PhoneView[], visible: readonly Candidate[]): string {
  const lines: string[] = [];
  let length = 0;
  for (const phone of visible) {
    const why = mismatches(views, phone).map(
      (each) => `${each.capability} ${each.wanted} (has ${each.has ?? 'none'})`,
    );
    const line = `${phone.device.udid}: ${why.join(', ')}`;
    length += line.length;
    if (length > LONGEST_DETAIL) break;
    lines.push(line);
  }
  return lines.join('; ');
}
