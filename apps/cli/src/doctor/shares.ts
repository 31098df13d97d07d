import type { ShareStore } from '@svc/device-lab';
import { type Finding, ok, warning } from './finding.ts';

const CHECK = 'limits';

/**
 * Warns if teams or accounts have limits that a client escapes by leaving out its credentials, because a session
 * without an owner counts for no account.
 * @returns no findings if there are no limits
 */
export function checkShares(shares: Pick<ShareStore, 'all'>, requiresSessionToken: boolean): Finding[] {
  const rows = shares.all();
  if (rows.length === 0) return [];
  const teams = rows.filter(({ kind }) => kind === 'team').length;
  const who = `Limits of teams: ${teams}, of accounts: ${rows.length - teams}`;
  if (requiresSessionToken) return [ok(CHECK, who)];
  return [
    warning(
      CHECK,
      `${who}. Clients can create sessions without credentials, which count for no account`,
      'Set SVC_REQUIRE_SESSION_TOKEN=true.',
    ),
  ];
}
