/** Attempts that one address may make within a window: sign-ins or reset requests, for example. */
export interface AttemptLimit {
  readonly attempts: number;
  readonly windowMs: number;
}
