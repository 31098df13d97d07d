import type { Audience, NodeAction, Scope } from '@svc/contract';
import type { Credential } from '../principal.ts';

/**
 * The credential that requested a ticket, by which a later check, also after a restart, tells whether it is still
 * valid. Contains no secret.
 */
interface TicketHolder {
  readonly credential: Credential;
  /** When the credential expires (ms), or null for never. The current expiry of a sign-in is in its record. */
  readonly expiresAt: number | null;
  /** SHA-256 (hex) of the access key at that time. */
  readonly accessKeyHash: string;
}

/**
 * Claims of every token that this server signs (contract 4). `scopes` has API scopes in every kind of token. `scope`
 * has the MCP scopes of an `svc-mcp` token, joined by spaces. `iat` and `exp` are whole seconds.
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
  /** Sign-in epoch of the account, if the chain of mintings began with a sign-in (see `Account.signInEpoch`). */
  readonly sie?: number;
  /** Id of that sign-in; absent in tokens of versions that did not store it. */
  readonly sign_in?: string;
  /** Team that the source key is bound to. */
  readonly team?: string;
  /** The phone or app that a ticket is for. */
  readonly res?: string;
  /** The device that a hub's create, stream or input is for (contract 8.2). */
  readonly udid?: string;
  /**
   * In the token of a hub's create: the hub checks commands, and the node does so for this session (specification
   * 5.7.9).
   */
  readonly guarded?: boolean;
  /** The driver session that a hub's command or input is for (contract 8.2). */
  readonly sid?: string;
  /** Host and port of the node that a hub's create, stream or input is for. */
  readonly node?: string;
  /** What the hub's node should do with the device `udid`. */
  readonly act?: NodeAction;
  /** In a ticket: the credential that requested it, which is checked again when the ticket is redeemed. */
  readonly holder?: TicketHolder;
}
