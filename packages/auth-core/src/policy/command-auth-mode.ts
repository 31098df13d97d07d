/**
 * Mode of the credential check of WebDriver commands. In the mode `report-only`, a command that fails the check is
 * counted, but still forwarded.
 */
type CommandAuthMode = 'off' | 'report-only' | 'on';

/** Settings that determine how the credentials of WebDriver commands are checked (specification 5.7). */
export interface CommandAuthSettings {
  readonly authDisabled: boolean;
  readonly requireCommandAuth: boolean;
  /** Value of `SVC_COMMAND_AUTH_REPORT_ONLY`. If true, it has priority over `requireCommandAuth`. */
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
