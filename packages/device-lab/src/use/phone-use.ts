/** How long a phone was used in some period, in ms. */
export interface UseTimes {
  /** Time for which the phone was present. The other times are parts of it. */
  readonly presentMs: number;
  /** Time for which a session ran on the phone. */
  readonly busyMs: number;
  /** Time for which the phone was leased and no session ran on it. */
  readonly leasedMs: number;
  /** Time for which at least one request that could have used the phone was waiting. */
  readonly waitedMs: number;
}

export const NO_USE: UseTimes = { presentMs: 0, busyMs: 0, leasedMs: 0, waitedMs: 0 };

/** Usage times of one phone while it belonged to one team. */
export interface PhoneUse extends UseTimes {
  readonly udid: string;
  /** Team of the phone during the use, or null for the shared pool. */
  readonly teamId: string | null;
}

/** Use of one phone in one hour. */
export interface HourOfUse extends PhoneUse {
  /** Beginning of the hour in ms since 1970. */
  readonly hour: number;
}

/** Use of one phone in one month. */
export interface MonthOfUse extends PhoneUse {
  /** Beginning of the month (UTC) in ms since 1970. */
  readonly month: number;
}

/** How much waiting one more phone of a kind would have saved in a month. */
export interface KindMonth {
  /** Beginning of the month (UTC) in ms since 1970. */
  readonly month: number;
  /** Text that describes the kind, such as `Pixel 8, Android 14`. */
  readonly kind: string;
  readonly savedMs: number;
}

/**
 * Stores usage times of phones. There is one row for each hour, phone and team, which contains the totals of all
 * sessions.
 */
export interface PhoneUseStore {
  /** Adds the use of these hours to the stored totals of hours and months, in one transaction. */
  add(hours: readonly HourOfUse[]): void;
  /** Adds saved waiting to the stored totals, in one transaction. */
  addKinds(kinds: readonly KindMonth[]): void;
  /** Returns the use of each phone and team in the month that began at `month` (ms since 1970). */
  ofMonth(month: number): PhoneUse[];
  /** Returns the saved waiting of each kind in the month that began at `month` (ms since 1970). */
  kindsOf(month: number): KindMonth[];
  /** Removes the totals of months that began before `at` (ms since 1970). */
  removeMonthsBefore(at: number): void;
  /** Returns the use of each phone and team in the hour that began at `hour` (ms since 1970). */
  of(hour: number): PhoneUse[];
  /**
   * Removes at most `most` rows of hours that began before `at` (ms since 1970).
   * @returns the number of removed rows
   */
  removeBefore(at: number, most: number): number;
}

export function added(a: UseTimes, b: UseTimes): UseTimes {
  return {
    presentMs: a.presentMs + b.presentMs,
    busyMs: a.busyMs + b.busyMs,
    leasedMs: a.leasedMs + b.leasedMs,
    waitedMs: a.waitedMs + b.waitedMs,
  };
}

/** @returns the beginning of the month (UTC) that contains a time, in ms since 1970 */
export function monthOf(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}
