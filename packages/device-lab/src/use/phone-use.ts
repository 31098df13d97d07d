/** How long a phone was used in some period, in ms. */
export interface UseTimes {
  /** Time for which the phone was present. It includes the other times of this interface. */
  readonly presentMs: number;
  /** Time for which a session ran on the phone. */
  readonly busyMs: number;
  /** Time for which the phone was leased and no session ran on it. */
  readonly leasedMs: number;
  /** Time for which at least one request waited that could have used the phone. */
  readonly waitedMs: number;
}

export const NO_USE: UseTimes = { presentMs: 0, busyMs: 0, leasedMs: 0, waitedMs: 0 };

/** Use of one phone while it belonged to one team. */
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

/** Stores the use of phones as one total for each hour, phone and team, however many sessions there are. */
export interface PhoneUseStore {
  /** Adds the use of these hours to the stored totals, in one transaction. */
  add(hours: readonly HourOfUse[]): void;
  /** Returns the totals of all hours that began at `at` or later, by phone and team. */
  since(at: number): PhoneUse[];
  /**
   * Removes hours that began before `at`, at most `most` rows.
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
