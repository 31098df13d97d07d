/** `skipped` means that the check could not run or has nothing to check. Only a `failure` makes the exit code 1. */
type Outcome = 'ok' | 'warning' | 'failure' | 'skipped';

/** Result of one check. */
export interface Finding {
  /** Name of the check, which scripts may rely on. */
  readonly check: string;
  readonly outcome: Outcome;
  readonly message: string;
  /** How to correct it, or null if nothing has to be done. */
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
