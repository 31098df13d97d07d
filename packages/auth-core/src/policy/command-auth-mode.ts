/**
 * How commands are checked. With `report-only`, a command that fails the check is reported and forwarded.
 */
type CommandAuthMode = 'off' | 'report-only' | 'on';

/** Settings that determine how commands are checked (specification 5.7). */
export interface CommandAuthSettings {
  readonly authDisabled: boolean;
  readonly requireCommandAuth: boolean;
  /** `SVC_COMMAND_AUTH_REPORT_ONLY` has priority over `requireCommandAuth` if it is true. */
  readonly commandAuthReportOnly: boolean;
}

export function commandAuthMode({
  authDisabled,
  requireCommandAuth,
  commandAuthReportOnly,
}: CommandAuthSettings): CommandAuthMode {
  if (authDisabled) return 'off';
  if (commandAuthReportOnly) return 'report-only';
  return requireCommandAuth ? 'on' : 'off';
}
