/**
 * Result of a check. `skipped` means that the check could not run or has nothing to check. Only a `failure` makes `svc
 * doctor` exit with 1.
 */
type Outcome = 'ok' | 'warning' | 'failure' | 'skipped';

/** Result of one check of `svc doctor`. */
export interface Finding {
  /** Name of the check, which does not change between releases because scripts may rely on it. */
  readonly check: string;
  readonly outcome: Outcome;
  readonly message: string;
  /** Advice on how to correct the problem, or null if nothing has to be done. */
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
