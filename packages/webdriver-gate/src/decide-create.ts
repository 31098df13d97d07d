import { type Caller, holds } from '@svc/auth-core';

/** Result of the check of one credential in a request that creates a session. */
export type Checked = Caller | 'absent' | 'invalid';

export interface CreateFacts {
  /** Value of `SVC_REQUIRE_SESSION_TOKEN`, which makes credentials mandatory for every new session. */
  readonly credentialsRequired: boolean;
  /** Result of the check of the key pair, which consists of `accessKey` and `token`. */
  readonly pair: Checked;
  /**
   * Result of the check of the session token. It matters only if the key pair (`accessKey` and `token`) is not valid
   * (contract 6.4).
   */
  readonly sessionToken: Checked;
}

export type CreateDecision =
  | { readonly kind: 'owner'; readonly caller: Caller }
  /** The session is created without an owner, and a log line says so (specification 5.4.4). */
  | { readonly kind: 'ownerless' }
  /**
   * The session is not created. The client gets the WebDriver error `invalid argument` (status 400) with this message.
   */
  | { readonly kind: 'deny'; readonly message: string };

const HOW_TO_PASS = 'Pass accessKey and token, or sessionToken, in the capability svc:options.';
const NEW_SESSION_TOKEN =
  'Ask POST /svc/api/auth/token with audience svc-mcp for a new one, or pass accessKey and token in svc:options.';

/**
 * Messages for clients whose session is denied. Each begins with the words of the specification (5.4.3, 5.7), followed
 * by what the client has to do.
 */
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
 * Decides who owns a new session: the user of the key pair (`accessKey` and `token`) if the pair is valid, otherwise
 * the user of the session token if that is valid. If neither is valid, the session has no owner, or is denied if
 * credentials are required. It is also denied if the credential that decides lacks the scope `sessions` (specification
 * 5.4, 5.7; contract 6.4).
 */
export function decideCreate({ credentialsRequired, pair, sessionToken }: CreateFacts): CreateDecision {
  const { pairLacksScope, tokenLacksScope, tokenInvalid, noneValid } = CREATE_DENIALS;
  const caller = typeof pair === 'object' ? pair : sessionToken;
  if (typeof caller === 'object') {
    if (holds(caller.scopes, 'sessions')) return { kind: 'owner', caller };
    return { kind: 'deny', message: caller === pair ? pairLacksScope : tokenLacksScope };
  }
  if (!credentialsRequired) return { kind: 'ownerless' };
  return { kind: 'deny', message: sessionToken === 'invalid' ? tokenInvalid : noneValid };
}
