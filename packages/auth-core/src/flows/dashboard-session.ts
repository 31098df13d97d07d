import { Refusal } from '../errors.ts';
import { ANY_CALLER } from '../policy/access.ts';
import type { Stores } from '../ports.ts';
import type { Caller } from '../principal.ts';
import { type Reauthorizing, reauthorize } from './reauthorize.ts';
import type { OpenedSignIn, SignIns } from './sign-in.ts';

interface Tools extends Reauthorizing {
  readonly stores: Stores;
  readonly signIns: SignIns;
}

/**
 * `POST /auth/dashboard-session`: a sign-in for a browser, opened with a key pair or bearer token of a Super admin
 * and bounded by it: the same scopes, no later end, the same team, over when the token is revoked (contract 2).
 */
export function openDashboardSession(caller: Caller, userAgent: string | null, tools: Tools): OpenedSignIn {
  const { stores, signIns } = tools;
  const { credential } = caller;
  if (!credential.opensDashboard) {
    throw new Refusal('super admin required', 'not opened with a key pair or bearer token');
  }
  return stores.transaction((tx) => {
    // Reading the body took time: the credential is checked again.
    const now = reauthorize(caller, ANY_CALLER, tools);
    if (now.account.role !== 'Super admin') throw new Refusal('super admin required');
    return signIns.openBounded(
      tx,
      now,
      {
        scopes: now.scopes,
        until: now.expiresAt,
        apiTokenId: credential.apiTokenId,
        teamId: now.teamId,
      },
      userAgent,
    );
  });
}
