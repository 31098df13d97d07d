import { isAtLeast } from '@svc/contract';
import type { Account, Caller } from '../principal.ts';
import { holds } from '../scopes.ts';

/** Result of the check of one credential in a create. */
export type Checked = Caller | 'absent' | 'invalid';

export interface CreateFacts {
  /** `SVC_REQUIRE_SESSION_TOKEN`. */
  readonly credentialsRequired: boolean;
  readonly pair: Checked;
  /** Used only if the pair is not valid (contract 6.4). */
  readonly sessionToken: Checked;
}

export type CreateDecision =
  | { readonly kind: 'owner'; readonly caller: Caller }
  /** The session has no owner, which the log reports (specification 5.4.4). */
  | { readonly kind: 'ownerless' }
  /** The response is 400 `invalid argument` with this message. */
  | { readonly kind: 'deny'; readonly message: string };

const HOW_TO_PASS = 'Pass accessKey and token, or sessionToken, in the capability svc:options.';
const NEW_SESSION_TOKEN =
  'Ask POST /svc/api/auth/token with audience svc-mcp for a new one, or pass accessKey and token in svc:options.';

/** Each begins with the words of the specification (5.4.3, 5.7), followed by what to do. */
export const CREATE_DENIALS = {
  pairLacksScope: 'credentials are invalid, revoked, or lack the sessions scope',
  tokenLacksScope: `session rejected: svc:options.sessionToken carries no sessions scope. ${NEW_SESSION_TOKEN}`,
  tokenInvalid: `session rejected: svc:options.sessionToken is invalid or expired. ${NEW_SESSION_TOKEN}`,
  noneValid:
    'session rejected: SVC_REQUIRE_SESSION_TOKEN is enabled and the session presented no valid credentials. ' +
    HOW_TO_PASS,
  team: 'svc:options.team names no team these credentials may use',
} as const;

/**
 * Decides who owns a new session. A valid pair decides alone, otherwise the session token (specification 5.4, 5.7;
 * contract 6.4).
 */
export function decideCreate({ credentialsRequired, pair, sessionToken }: CreateFacts): CreateDecision {
  if (typeof pair === 'object') return ownerWithScope(pair, CREATE_DENIALS.pairLacksScope);
  if (typeof sessionToken === 'object') return ownerWithScope(sessionToken, CREATE_DENIALS.tokenLacksScope);
  if (!credentialsRequired) return { kind: 'ownerless' };
  return deny(sessionToken === 'invalid' ? CREATE_DENIALS.tokenInvalid : CREATE_DENIALS.noneValid);
}

function ownerWithScope(caller: Caller, denial: string): CreateDecision {
  return holds(caller.scopes, 'sessions') ? { kind: 'owner', caller } : deny(denial);
}

function deny(message: string): CreateDecision {
  return { kind: 'deny', message };
}

/**
 * @returns whether the caller may see a device of this team: devices of the shared pool and of their own teams, or all
 * for Admins. A key of a team limits a Member to that team (contract 2 and 3.5).
 */
export function maySeeDevice(caller: Caller | null, teamId: string | null): boolean {
  if (teamId === null) return true;
  if (caller === null) return false;
  const isElsewhere = caller.teamId !== null && caller.teamId !== teamId;
  if (isElsewhere && !isAtLeast(caller.account.role, 'Admin')) return false;
  return accountSeesDevice(caller.account, teamId);
}

/** As `maySeeDevice`, for what an account holds without a credential, such as a lease. */
export function accountSeesDevice({ role, teams }: Account, teamId: string | null): boolean {
  return teamId === null || isAtLeast(role, 'Admin') || teams.some((team) => team.id === teamId);
}
