import { shellTexts } from './shell.ts';

export { accessTexts as access } from './access.ts';
export { agentTexts as agents } from './agents.ts';
export { apiKeyTexts as apiKeys } from './api-keys.ts';
export { apiReferenceTexts as apiReference } from './api-reference.ts';
export { appTexts as apps } from './apps.ts';
export { auditTexts as audit } from './audit.ts';
export { auditEventTexts as auditEvents } from './audit-events.ts';
export { careTexts as care } from './care.ts';
export { commandCheckTexts as commandCheck } from './command-check.ts';
export { deviceTexts as devices } from './devices.ts';
export { durationTexts as durations } from './durations.ts';
export { errorTexts as errors } from './errors.ts';
export { leaseTexts as leases } from './leases.ts';
export { listTexts as lists } from './lists.ts';
export { matchTexts as match } from './match.ts';
export { nodeTexts as nodes } from './nodes.ts';
export { oidcTexts as oidc } from './oidc.ts';
export { passkeyTexts as passkeys } from './passkeys.ts';
export { phoneSourceTexts as phoneSources } from './phone-sources.ts';
export { profileTexts as profile } from './profile.ts';
export { remoteTexts as remote } from './remote.ts';
export { scimTexts as scim } from './scim.ts';
export { searchTexts as search } from './search.ts';
export { sessionTexts as sessions } from './sessions.ts';
export { settingTexts as settings } from './settings.ts';
export { shareTexts as shares } from './shares.ts';
export { forgotTexts as forgot, resetTexts as reset, signInTexts as signIn } from './sign-in.ts';
export { teamTexts as teams } from './teams.ts';
export { terminalTexts as terminal } from './terminal.ts';
export { usageTexts as usage } from './usage.ts';
export { userTexts as users } from './users.ts';
export { watchTexts as watch } from './watch.ts';
export { webhookTexts as webhooks } from './webhooks.ts';
export { workloadTexts as workloads } from './workloads.ts';

/** Texts that every page loads, such as those of the navigation, the account menu and the banners. */
export const { product, pages, common, fields, shell, account, theme, banners, proveAgain, password } =
  shellTexts;
