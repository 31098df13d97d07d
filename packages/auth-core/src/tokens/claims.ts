import type { Audience, NodeAction, Scope } from '@svc/contract';
import type { Credential } from '../principal.ts';

/**
 * The credential that requested a ticket. A later check, also after a restart, uses it to decide whether the credential
 * is still valid. Contains no secret.
 */
interface TicketHolder {
  readonly credential: Credential;
  /**
   * Time (ms since 1970) at which the credential expires, or null for never. For a sign-in this may be out of date,
   * because each use extends the expiry; the record of the sign-in has the current one.
   */
  readonly expiresAt: number | null;
  /**
   * SHA-256 (hex) of the account's access key when the ticket was issued, so that a replaced access key ends the
   * ticket.
   */
  readonly accessKeyHash: string;
}

/**
 * Claims of every token that this server signs (contract 4). `scopes` has the API scopes in every kind of token.
 * `scope` has the MCP scopes of an `svc-mcp` token, separated by spaces. `iat` and `exp` are whole seconds.
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
  /**
   * Sign-in epoch of the account (see `Account.signInEpoch`). Present only if the token was minted from a sign-in,
   * directly or through other tokens.
   */
  readonly sie?: number;
  /** Id of the sign-in that the token was minted from. Absent in tokens of versions that did not store the id. */
  readonly sign_in?: string;
  /**
   * Ids of the chain of credentials that led to the token, oldest first: the last one minted the token. Absent in
   * tokens of versions that did not store them.
   */
  readonly parents?: readonly string[];
  /**
   * Id of the team that the token is bound to, taken from the key or trust rule from which it was minted. Absent if it
   * is bound to no team.
   */
  readonly team?: string;
  /**
   * Id of the trust rule (which lets CI jobs sign in) if the token was minted through it, directly or with a credential
   * from it (contract 10.3).
   */
  readonly rule?: string;
  /** The claim `sub` of the CI job's token. Present together with `rule`. */
  readonly rule_subject?: string;
  /** Description of the CI run for people, such as `owner/repo@main, run 812`. Present together with `rule`. */
  readonly rule_run?: string;
  /** http(s) address of the CI run. Absent if it is not known. */
  readonly rule_url?: string;
  /**
   * Id and limits of the agent (AI client) that uses the token (see `AgentClaim`). `id` is absent in the agent's
   * `svc-mcp` token itself, because its own `jti` is the id. Limits that are not set are absent. `mcp` has the MCP
   * scopes of the token with which this one was minted; an `svc-mcp` token has its own in `scope`.
   */
  readonly agent?: {
    readonly id?: string;
    readonly sessions?: number;
    readonly minutes?: number;
    readonly mcp?: readonly string[];
  };
  /** Id of the phone or app that a ticket is for. */
  readonly res?: string;
  /**
   * Only in tokens that a hub sends to its nodes: id of the device to which the token gives access, for a new session,
   * a stream or an input such as a tap (contract 8.2).
   */
  readonly udid?: string;
  /**
   * Whether the node must check the credentials of the session's commands, even if its own settings turn the check off.
   * Only in a hub's token for a new session (specification 5.7.9).
   */
  readonly guarded?: boolean;
  /**
   * Only in tokens that a hub sends to its nodes: account id of the holder of the lease of the device `udid`. Absent if
   * the device is not leased (contract 17.3).
   */
  readonly lessee?: string;
  /**
   * Whether the node must leave the device unchanged after the session. Only in a hub's token for a new session
   * (contract 17.3).
   */
  readonly keep?: boolean;
  /**
   * Only in tokens that a hub sends to its nodes: id of the driver session to which the token gives access, for
   * commands or an input such as a tap (contract 8.2).
   */
  readonly sid?: string;
  /**
   * Only in tokens that a hub sends to its nodes: host and port of the only node that accepts the token for a new
   * session, a stream or an input.
   */
  readonly node?: string;
  /** Only in tokens that a hub sends to its nodes: action that the token allows on the device `udid`. */
  readonly act?: NodeAction;
  /** Credential that requested a ticket, which is checked again when the ticket is redeemed. Only in tickets. */
  readonly holder?: TicketHolder;
}
