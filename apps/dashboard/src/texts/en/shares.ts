export const shareTexts = {
  title: 'Limits',
  leadTeam: 'What the members may use together. An empty field is no limit.',
  leadAccount: 'What this user may use, with their keys and agents. An empty field is no limit.',
  sessions: 'Sessions at the same time',
  leases: 'Leases at the same time',
  minutes: 'Minutes a day (UTC)',
  used: (count: number) => `Now used: ${count}.`,
  save: 'Set limits',
  saved: 'The limits were saved',
  notWhole: 'A whole number, or empty.',
};
