import { PUBLIC_WORD } from '../credentials/proof.ts';
import { Refusal } from '../errors.ts';
import type { Stores } from '../ports.ts';
import type { Caller } from '../principal.ts';
import type { OpenedSignIn, SignIns } from './sign-in.ts';

interface Tools {
  readonly stores: Stores;
  readonly signIns: SignIns;
  readonly authenticator: { stillGood(caller: Caller): boolean };
}

/**
 * `POST /auth/dashboard-session`: a sign-in for a browser, opened with a key pair or bearer token of a Super admin
 * and bounded by it: the same scopes, no later end, over when the token is revoked (contract 2).
 */
export function openDashboardSession(caller: Caller, userAgent: string | null, tools: Tools): OpenedSignIn {
  const { stores, signIns, authenticator } = tools;
  const { credential } = caller;
  if (credential.kind !== 'key' && credential.kind !== 'bearer') {
    throw new Refusal('super admin required', 'not opened with a key pair or bearer token');
  }
  return stores.transaction(() => {
    // The body was read since the credential was checked.
    if (!authenticator.stillGood(caller)) throw new Refusal(PUBLIC_WORD[credential.kind], 'ended meanwhile');
    if (stores.accounts.byId(caller.account.id)?.role !== 'Super admin')
      throw new Refusal('super admin required');
    return signIns.openBounded(
      caller,
      {
        scopes: caller.scopes,
        until: caller.expiresAt,
        apiTokenId: credential.kind === 'key' ? credential.id : null,
      },
      userAgent,
    );
  });
}
