import { isAtLeast } from '@svc/contract';
import type { Account, Caller } from '../principal.ts';
import { holds } from '../scopes.ts';

/** Outcome of checking one of the credentials a test session may carry. */
export type Checked = Caller | 'absent' | 'invalid';

export interface CreateFacts {
  /** `SVC_REQUIRE_SESSION_TOKEN`. */
  readonly credentialsRequired: boolean;
  readonly pair: Checked;
  /** Looked at only when the pair is not valid (contract 6.4). */
  readonly sessionToken: Checked;
}

export type CreateDecision =
  | { readonly kind: 'owner'; readonly caller: Caller }
  /** Runs with no owner; the log says so (specification 5.4.4). */
  | { readonly kind: 'ownerless' }
  /** 400 `invalid argument` with this message. */
  | { readonly kind: 'deny'; readonly message: string };

const HOW_TO_PASS = 'Pass accessKey and token, or sessionToken, in the capability svc:options.';
const NEW_SESSION_TOKEN =
  'Ask POST /svc/api/auth/token with audience svc-mcp for a new one, or pass accessKey and token in svc:options.';

/** Each begins with the specification's words (5.4.3, 5.7) and goes on with what to do about it. */
export const CREATE_DENIALS = {
  pairLacksScope: 'credentials are invalid, revoked, or lack the sessions scope',
  tokenLacksScope: `session rejected: svc:options.sessionToken carries no sessions scope. ${NEW_SESSION_TOKEN}`,
  tokenInvalid: `session rejected: svc:options.sessionToken is invalid or expired. ${NEW_SESSION_TOKEN}`,
  noneValid:
    'session rejected: SVC_REQUIRE_SESSION_TOKEN is enabled and the session presented no valid credentials. ' +
    HOW_TO_PASS,
  team: 'svc:options.team names no team these credentials may use',
} as const;

/** Who owns a new session: a valid pair decides alone, else the session token (specification 5.4, 5.7; contract 6.4). */
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
 * Phones a caller may see: the shared pool and their teams'; Admins all. A key bound to a team narrows a Member to
 * that one (contract 2 and 3.5).
 */
export function maySeeDevice(caller: Caller | null, teamId: string | null): boolean {
  if (teamId === null) return true;
  if (caller === null) return false;
  const isElsewhere = caller.teamId !== null && caller.teamId !== teamId;
  if (isElsewhere && !isAtLeast(caller.account.role, 'Admin')) return false;
  return accountSeesDevice(caller.account, teamId);
}

/** The same for what an account keeps without a credential at hand: a lease. */
export function accountSeesDevice({ role, teams }: Account, teamId: string | null): boolean {
  return teamId === null || isAtLeast(role, 'Admin') || teams.some((team) => team.id === teamId);
}
