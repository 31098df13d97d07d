export interface UseTimes {
  readonly presentSeconds: number;
  readonly busySeconds: number;
  readonly leasedSeconds: number;
  readonly waitedSeconds: number;
}

/**
 * @returns the busy, leased and waited times, each as a share (0 to 1) of the time in which the phone was present; 0
 * for a phone that was never present
 */
export function partsOf({ presentSeconds, busySeconds, leasedSeconds, waitedSeconds }: UseTimes) {
  const part = (seconds: number) => (presentSeconds === 0 ? 0 : Math.min(1, seconds / presentSeconds));
  return { busy: part(busySeconds), leased: part(leasedSeconds), waited: part(waitedSeconds) };
}

/** @returns the share in whole percent, as `<1` for a share that would be rounded to 0 */
export function percentText(seconds: number, ofSeconds: number): string {
  if (seconds === 0 || ofSeconds === 0) return '0';
  const percent = Math.round((100 * seconds) / ofSeconds);
  return percent === 0 ? '<1' : String(Math.min(100, percent));
}

/** @returns this month and the 11 months before it (UTC), such as `2026-01`, newest first */
export function lastMonths(now: Date): string[] {
  return Array.from({ length: 12 }, (_, back) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)).toISOString().slice(0, 7),
  );
}

const MONTH = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** @returns a month such as `2026-01` in words, such as `January 2026` */
export function monthText(month: string): string {
  return MONTH.format(new Date(`${month}-01`));
}
