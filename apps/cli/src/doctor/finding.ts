/** `skipped`: it could not be looked at, or there is nothing to look at. Only a `failure` makes the exit code 1. */
type Outcome = 'ok' | 'warning' | 'failure' | 'skipped';

/** What one check found. */
export interface Finding {
  /** Stable, for scripts. */
  readonly check: string;
  readonly outcome: Outcome;
  readonly message: string;
  /** What to do about it; null where nothing has to be done. */
  readonly fix: string | null;
}

export const ok = (check: string, message: string): Finding => ({ check, outcome: 'ok', message, fix: null });
export const skipped = (check: string, message: string): Finding => ({
  check,
  outcome: 'skipped',
  message,
  fix: null,
});
export const warning = (check: string, message: string, fix: string): Finding => ({
  check,
  outcome: 'warning',
  message,
  fix,
});
export const failure = (check: string, message: string, fix: string): Finding => ({
  check,
  outcome: 'failure',
  message,
  fix,
});
