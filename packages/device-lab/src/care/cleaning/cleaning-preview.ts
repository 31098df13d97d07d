import { contentOf, type PhoneShell } from './clean-phone.ts';
import { type PlannedRemoval, planCleaning, reasonsOf } from './cleaning-plan.ts';
import type { CleaningRow } from './cleaning-store.ts';
import type { ReadContent } from './phone-content.ts';

/** What a cleaning of a phone would remove now. */
export interface CleaningPreview {
  /** Time (ms since 1970) at which the present or last holder began, or null if the phone is clean. */
  readonly since: number | null;
  /** Whether an Admin wants the phone left unchanged, so that the cleaning will remove nothing. */
  readonly isKept: boolean;
  readonly items: readonly PlannedRemoval[];
}

const MOST_PREVIEWED = 500;
const LONGEST_TEXT = 300;
const cut = (text: string) => text.slice(0, LONGEST_TEXT);

/** Reads phones to show what a cleaning would remove from them. */
export class CleaningPreviews {
  readonly #shell: PhoneShell;
  /** Reads that have not ended, so that a phone is read once for several callers. */
  readonly #reads = new Map<string, Promise<ReadContent>>();

  constructor(shell: PhoneShell) {
    this.#shell = shell;
  }

  /**
   * Reads a phone and returns what a cleaning would remove now. Changes nothing. Rejects if the phone cannot be read.
   * @param row what is stored of the phone, or undefined if it is clean
   */
  async planFor(udid: string, row: CleaningRow | undefined): Promise<CleaningPreview> {
    if (row === undefined) return { since: null, isKept: false, items: [] };
    const { before, mode, since, isKept } = row;
    if (before === null) throw new Error('what was on the phone before is not known');
    const known = this.#reads.get(udid);
    const reading = known ?? contentOf(this.#shell, udid, mode).finally(() => this.#reads.delete(udid));
    if (known === undefined) this.#reads.set(udid, reading);
    const now = await reading;
    const items = reasonsOf(planCleaning(before, now), before, now).slice(0, MOST_PREVIEWED);
    return { since, isKept, items: items.map(({ name, why }) => ({ name: cut(name), why: cut(why) })) };
  }
}
