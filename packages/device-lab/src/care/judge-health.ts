/** What a probe read from a phone. A value that the phone did not tell is null. */
export interface PhoneHealth {
  /** Whether Android has finished booting. */
  readonly isBooted: boolean;
  /** Charge of the battery in percent. */
  readonly battery: number | null;
  readonly isCharging: boolean;
  /** Temperature of the battery in °C. */
  readonly temperature: number | null;
  /** Free storage for apps and data, in bytes. */
  readonly storageFree: number | null;
}

export interface HealthLimits {
  /** Percentage below which a phone that does not charge goes out of service (`SVC_MIN_BATTERY`). */
  readonly minBattery: number;
  /** Temperature in °C above which a phone goes out of service (`SVC_MAX_TEMPERATURE`). */
  readonly maxTemperature: number;
}

const MB = 1_000_000;
const LEAST_STORAGE = 500 * MB;

/** Reason of a phone that did not answer two probes in a row. */
export const NO_ANSWER = 'it does not answer';

const REASONS = [
  /^it does not answer$/,
  /^it has not finished booting$/,
  /^its battery has -?[\d.]+ (?:%|°C)/,
  /^it has \d+ MB of free storage$/,
];

/** @returns whether a probe gave this reason, so that a later probe may put the phone back */
export function isHealthReason(reason: string): boolean {
  return REASONS.some((each) => each.test(reason));
}

/** @returns whether two reasons of probes name the same problem, whatever the values that were measured */
export function isSameProblem(a: string, b: string): boolean {
  const words = (reason: string) => reason.replace(/-?[\d.]+/g, '');
  return words(a) === words(b);
}

/** @returns why a phone must go out of service, or null if it is well (contract 17.2) */
export function judgeHealth(
  health: PhoneHealth,
  { minBattery, maxTemperature }: HealthLimits,
): string | null {
  const { isBooted, battery, isCharging, temperature, storageFree } = health;
  if (!isBooted) return 'it has not finished booting';
  if (battery !== null && battery < minBattery && !isCharging)
    return `its battery has ${battery} % and does not charge`;
  if (temperature !== null && temperature > maxTemperature) return `its battery has ${temperature} °C`;
  if (storageFree !== null && storageFree < LEAST_STORAGE)
    return `it has ${Math.floor(storageFree / MB)} MB of free storage`;
  return null;
}

/** Command whose output `readHealth` reads. Each part is marked, because a phone may lack one of the programs. */
export const HEALTH_COMMAND =
  'echo svc:boot; getprop sys.boot_completed; echo svc:battery; dumpsys battery; echo svc:storage; df -k /data';

const LARGEST = Number.MAX_SAFE_INTEGER;

/** Reads the output of `HEALTH_COMMAND`. @returns undefined if the output has none of its parts */
export function readHealth(output: string): PhoneHealth | undefined {
  const parts = new Map(
    output
      .replaceAll('\r', '')
      .split(/^svc:/m)
      .map((part) => [part.slice(0, part.indexOf('\n')).trim(), part] as const),
  );
  const battery = parts.get('battery');
  if (parts.get('boot') === undefined) return undefined;
  const level = fieldOf(battery, 'level');
  const scale = fieldOf(battery, 'scale') ?? 100;
  const tenths = fieldOf(battery, 'temperature');
  return {
    isBooted: /^1$/m.test(parts.get('boot') ?? ''),
    battery: level === null || scale <= 0 ? null : Math.round((100 * level) / scale),
    isCharging: /^\s*(?:AC|USB|Wireless|Dock) powered: true$/m.test(battery ?? ''),
    temperature: tenths === null ? null : tenths / 10,
    storageFree: freeOf(parts.get('storage')),
  };
}

function fieldOf(text: string | undefined, name: string): number | null {
  const found = new RegExp(`^\\s*${name}: (-?\\d{1,9})$`, 'm').exec(text ?? '')?.[1];
  return found === undefined ? null : Number(found);
}

/** Reads the fourth column of the last line of `df`, in blocks of 1 KiB. */
function freeOf(text: string | undefined): number | null {
  const line = text?.trim().split('\n').at(-1) ?? '';
  const blocks = /^\S+\s+\d+\s+\d+\s+(\d{1,15})\s/.exec(line)?.[1];
  return blocks === undefined ? null : Math.min(LARGEST, Number(blocks) * 1024);
}
