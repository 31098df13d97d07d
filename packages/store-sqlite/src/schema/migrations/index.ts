import type { Migration } from 'kysely';
import { up as accounts } from './0001-accounts.ts';
import { up as driverSessions } from './0002-driver-sessions.ts';
import { up as commandLog } from './0003-command-log.ts';
import { up as signInTeam } from './0004-sign-in-team.ts';
import { up as auditChain } from './0005-audit-chain.ts';
import { up as sparedSignIn } from './0006-spared-sign-in.ts';
import { up as leases } from './0007-leases.ts';
import { up as apps } from './0008-apps.ts';
import { up as eventLog } from './0009-event-log.ts';
import { up as webhooks } from './0010-webhooks.ts';
import { up as nodes } from './0011-nodes.ts';
import { up as nodeKeys } from './0012-node-keys.ts';
import { up as sessionLists } from './0014-session-lists.ts';
import { up as baseline } from './0015-baseline.ts';
import { up as deviceSetting } from './0016-2.14-device-setting.ts';
import { up as locatorEtalonPath } from './0017-2.15-locator-etalon-path.ts';
import { up as revokedTokens } from './0018-2.18-revoked-tokens.ts';
import { up as passkeys } from './0019-2.18-passkeys.ts';
import { up as identities } from './0020-2.18-identities.ts';
import { up as trustRules } from './0021-2.18-trust-rules.ts';
import { up as tokenNotices } from './0022-2.18-token-notices.ts';
import { up as tokenLimits } from './0024-2.18-token-limits.ts';
import { up as freshSignIns } from './0025-2.18-fresh-sign-ins.ts';
import { up as scim } from './0026-2.18-scim.ts';
import { up as agentMinutes } from './0027-2.18-agent-minutes.ts';
import { up as webhookDeliveries } from './0029-2.18-webhook-deliveries.ts';
import { up as phoneUse } from './0030-2.18-phone-use.ts';
import { up as appUploaders } from './0033-2.18-app-uploaders.ts';
import { up as revokedSources } from './0034-2.18-revoked-sources.ts';
import { up as leaseAgents } from './0035-2.18-lease-agents.ts';
import { up as deactivatedUsers } from './0036-2.18-deactivated-users.ts';
import { up as attach } from './0049-2.18-attach.ts';
import { up as outOfService } from './0052-2.18-out-of-service.ts';
import { up as phoneCleaning } from './0055-2.18-phone-cleaning.ts';
import { up as sessionClean } from './0056-2.18-session-clean.ts';
import { up as listsByCreation } from './0057-2.18-lists-by-creation.ts';
import { up as agentLeaseTimes } from './0058-2.18-agent-lease-times.ts';
import { up as unconfirmedEmails } from './0059-2.18-unconfirmed-emails.ts';
import { up as deviceNames } from './0073-2.18-device-names.ts';
import { up as phoneHealth } from './0074-2.18-phone-health.ts';
import { up as shares } from './0075-2.18-shares.ts';
import { up as sessionRunLinks } from './0076-2.18-session-run-links.ts';
import { up as sessionDurations } from './0077-2.18-session-durations.ts';

/**
 * All migrations, oldest first. Their names sort in this order and must not change after a release, because the history
 * stores them.
 */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-accounts': { up: accounts },
  '0002-driver-sessions': { up: driverSessions },
  '0003-command-log': { up: commandLog },
  '0004-sign-in-team': { up: signInTeam },
  '0005-audit-chain': { up: auditChain },
  '0006-spared-sign-in': { up: sparedSignIn },
  '0007-leases': { up: leases },
  '0008-apps': { up: apps },
  '0009-event-log': { up: eventLog },
  '0010-webhooks': { up: webhooks },
  '0011-nodes': { up: nodes },
  '0012-node-keys': { up: nodeKeys },
  '0014-session-lists': { up: sessionLists },
  // From `0016` on, the name of a migration contains the release that introduced it (specification 9.2).
  '0015-baseline': { up: baseline },
  '0016-2.14-device-setting': { up: deviceSetting },
  '0017-2.15-locator-etalon-path': { up: locatorEtalonPath },
  '0018-2.18-revoked-tokens': { up: revokedTokens },
  '0019-2.18-passkeys': { up: passkeys },
  '0020-2.18-identities': { up: identities },
  '0021-2.18-trust-rules': { up: trustRules },
  '0022-2.18-token-notices': { up: tokenNotices },
  '0024-2.18-token-limits': { up: tokenLimits },
  '0025-2.18-fresh-sign-ins': { up: freshSignIns },
  '0026-2.18-scim': { up: scim },
  '0027-2.18-agent-minutes': { up: agentMinutes },
  '0029-2.18-webhook-deliveries': { up: webhookDeliveries },
  '0030-2.18-phone-use': { up: phoneUse },
  '0033-2.18-app-uploaders': { up: appUploaders },
  '0034-2.18-revoked-sources': { up: revokedSources },
  '0035-2.18-lease-agents': { up: leaseAgents },
  '0036-2.18-deactivated-users': { up: deactivatedUsers },
  '0049-2.18-attach': { up: attach },
  '0052-2.18-out-of-service': { up: outOfService },
  '0055-2.18-phone-cleaning': { up: phoneCleaning },
  '0056-2.18-session-clean': { up: sessionClean },
  '0057-2.18-lists-by-creation': { up: listsByCreation },
  '0058-2.18-agent-lease-times': { up: agentLeaseTimes },
  '0059-2.18-unconfirmed-emails': { up: unconfirmedEmails },
  '0073-2.18-device-names': { up: deviceNames },
  '0074-2.18-phone-health': { up: phoneHealth },
  '0075-2.18-shares': { up: shares },
  '0076-2.18-session-run-links': { up: sessionRunLinks },
  '0077-2.18-session-durations': { up: sessionDurations },
};
