import type { PhoneCleaner } from '@svc/device-lab';
import type { ReportedClean } from '../hub/node-report.ts';

/** Maximum number of cleanings in one report, so that the report stays within the largest body that a hub accepts. */
const MOST_IN_REPORT = 10;
const MOST_KEPT = 500;

/** What this node still has to tell its hub about the cleanings after sessions, at most one entry for each session. */
export class ReportedCleanings {
  readonly #waiting = new Map<string, ReportedClean>();
  #tell: () => void = () => undefined;

  constructor(cleaner: Pick<PhoneCleaner, 'onClean'>) {
    cleaner.onClean((ids, clean) => {
      for (const id of ids) this.#waiting.set(id, { id, ...clean });
      for (const id of [...this.#waiting.keys()].slice(0, -MOST_KEPT)) this.#waiting.delete(id);
      this.#tell();
    });
  }

  /** Sets the function that is called when there is something to report. */
  onNew(tell: () => void): void {
    this.#tell = tell;
  }

  /**
   * Returns what the next report contains.
   * `acknowledge` removes it. A cleaning that is pending stays until its result is there, because the hub may not have
   * recorded the session yet when it gets the report.
   */
  next(): { readonly items: readonly ReportedClean[]; acknowledge(): void } {
    const items = [...this.#waiting.values()].slice(-MOST_IN_REPORT);
    return {
      items,
      acknowledge: () => {
        const told = items.filter(
          ({ id, state }) => state !== 'pending' && this.#waiting.get(id)?.state === state,
        );
        for (const { id } of told) this.#waiting.delete(id);
        if (told.length > 0 && this.#waiting.size > 0) this.#tell();
      },
    };
  }
}
