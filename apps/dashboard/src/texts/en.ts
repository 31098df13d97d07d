import { accessTexts } from './en/access.ts';
import { agentTexts } from './en/agents.ts';
import { apiKeyTexts } from './en/api-keys.ts';
import { apiReferenceTexts } from './en/api-reference.ts';
import { auditTexts } from './en/audit.ts';
import { commandCheckTexts } from './en/command-check.ts';
import { deviceTexts } from './en/devices.ts';
import { doorTexts } from './en/door.ts';
import { durationTexts } from './en/durations.ts';
import { errorTexts } from './en/errors.ts';
import { listTexts } from './en/lists.ts';
import { oidcTexts } from './en/oidc.ts';
import { passkeyTexts } from './en/passkeys.ts';
import { profileTexts } from './en/profile.ts';
import { scimTexts } from './en/scim.ts';
import { sessionTexts } from './en/sessions.ts';
import { settingTexts } from './en/settings.ts';
import { shellTexts } from './en/shell.ts';
import { teamTexts } from './en/teams.ts';
import { terminalTexts } from './en/terminal.ts';
import { userTexts } from './en/users.ts';
import { webhookTexts } from './en/webhooks.ts';
import { workloadTexts } from './en/workloads.ts';

/** All texts of the pages in English. Another language would be another object of this type. */
export const texts = {
  ...shellTexts,
  ...doorTexts,
  durations: durationTexts,
  errors: errorTexts,
  devices: deviceTexts,
  sessions: sessionTexts,
  passkeys: passkeyTexts,
  profile: profileTexts,
  oidc: oidcTexts,
  access: accessTexts,
  agents: agentTexts,
  apiKeys: apiKeyTexts,
  apiReference: apiReferenceTexts,
  audit: auditTexts,
  commandCheck: commandCheckTexts,
  lists: listTexts,
  scim: scimTexts,
  settings: settingTexts,
  teams: teamTexts,
  terminal: terminalTexts,
  users: userTexts,
  webhooks: webhookTexts,
  workloads: workloadTexts,
};
