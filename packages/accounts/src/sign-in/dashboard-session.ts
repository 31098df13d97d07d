import type { Caller } from '@svc/auth-core';
import { lineageOf, type Reauthorizing, Refusal, reauthorize, refuseAgents } from '@svc/auth-core';
import { ANY_CALLER } from '@svc/contract';
import type { AccountStores } from '../ports/stores.ts';
import type { OpenedSignIn, SignIns } from './sign-in.ts';

interface Tools extends Reauthorizing {
  readonly stores: AccountStores;
  readonly signIns: SignIns;
}

/** Opens dashboard sign-ins with a key pair (access key and token) or a bearer token (contract 2). */
export class DashboardSessions {
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /**
   * Opens a sign-in for a browser (`POST /auth/dashboard-session`) with a key pair or bearer token of a Super admin.
   * The sign-in has the scopes and the team of this credential, expires no later than the credential, and ends when the
   * credential is revoked (contract 2).
   */
  open(caller: Caller, userAgent: string | null): OpenedSignIn {
    const { stores, signIns } = this.#tools;
    const { credential } = caller;
    if (!credential.opensDashboard) {
      throw new Refusal('super admin required', 'not opened with a key pair or bearer token');
    }
    refuseAgents(caller);
    return stores.transaction((tx) => {
      // The credential is checked again, because it may have ended while the request's body was read.
      const now = reauthorize(caller, ANY_CALLER, this.#tools);
      if (now.account.role !== 'Super admin') throw new Refusal('super admin required');
      const bounds = {
        scopes: now.scopes,
        until: now.expiresAt,
        apiTokenId: credential.apiTokenId,
        teamId: now.teamId,
        rule: credential.rule,
        openedWith: lineageOf(credential),
      };
      return signIns.openBounded(tx, now, bounds, userAgent);
    });
  }
}
