export const settingTexts = {
  lead: 'Settings that you can change while the server runs. All others are set in the environment or the options with which it is started.',
  tabs: 'Settings',
  tabServer: 'Server',
  tabWebhooks: 'Webhooks',
  readOnly: 'Only a Super admin can change settings.',
  sessions: 'Sessions',
  retention: 'Retention',
  default: (value: string) => `Default: ${value}.`,
  noValue: 'none',
  noLimit: 'no limit',
  useDefault: 'Leave it empty to use the default.',
  labels: {
    maxSessions: 'Maximum number of sessions',
    sessionRetentionDays: 'Sessions (days)',
    eventLogRetentionDays: 'Events, command logs (days)',
    auditRetentionDays: 'Audit trail (days)',
    recording: 'Recording of sessions',
    clean: 'Cleaning of Android phones',
  },
  hints: {
    maxSessions: 'Counts running and starting sessions. Below 1 means no limit.',
    sessionRetentionDays: '1 to 36500.',
    eventLogRetentionDays: '1 to 36500.',
    auditRetentionDays: 'At least the default.',
    recording:
      'Which sessions are recorded with their screen. A session may ask for more or less, unless recording is disabled.',
    clean:
      'What is removed from a phone between two users: the apps that were not there before, or also files and settings.',
  },
  /** Beginning of a sentence that the server's message completes, for example with `is not a whole number`. */
  thisValue: 'This ',
  saved: 'The settings were saved',
  unchanged: 'Nothing was changed.',
  someBad: 'Nothing was saved, because one value is not valid.',
};
