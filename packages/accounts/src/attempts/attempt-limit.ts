/** Maximum number of attempts within a window of time, for example of sign-ins from one address. */
export interface AttemptLimit {
  readonly attempts: number;
  readonly windowMs: number;
}
