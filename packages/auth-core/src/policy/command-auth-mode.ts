/**
 * How commands are checked. `report-only`: each is checked, and a command that would be refused is reported and
 * forwarded.
 */
type CommandAuthMode = 'off' | 'report-only' | 'on';

/** The settings that decide about the check of commands (specification 5.7). */
export interface CommandAuthSettings {
  readonly authDisabled: boolean;
  readonly requireCommandAuth: boolean;
  /** `SVC_COMMAND_AUTH_REPORT_ONLY` decides alone when it is set. Without it, nothing is weakened. */
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
