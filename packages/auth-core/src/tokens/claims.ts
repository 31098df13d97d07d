import type { Audience, Scope } from '@svc/contract';

/**
 * Claims of every token we sign (contract 4). `scopes` are API scopes in each kind; `scope` (space-joined) holds
 * the MCP scopes of an `svc-mcp` token. `iat` and `exp` are whole seconds.
 */
export interface Claims {
  readonly iss: string;
  readonly sub: string;
  readonly aud: Audience;
  readonly iat: number;
  readonly exp: number;
  readonly jti: string;
  readonly scopes: readonly Scope[];
  readonly scope?: string;
  /** Sign-in epoch of the account, when the chain of mintings began at a sign-in (see `Account.signInEpoch`). */
  readonly sie?: number;
  /** That sign-in; tokens from before this was kept name none. */
  readonly sign_in?: string;
  /** The team the source key is bound to. */
  readonly team?: string;
  /** What a ticket or hub token is for: a phone, an app, a session. */
  readonly res?: string;
}
