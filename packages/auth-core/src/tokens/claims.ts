import type { Audience, NodeAction, Scope } from '@svc/contract';
import type { Credential } from '../principal.ts';

/** A credential as a ticket names it: what tells, later and after a restart, whether it is still good. No secret. */
interface TicketHolder {
  readonly credential: Credential;
  /** When the credential ended by itself (ms); null: never. A sign-in's slides, and stands in its record. */
  readonly expiresAt: number | null;
  /** Of the access key at that time: SHA-256 (hex). */
  readonly accessKeyHash: string;
}

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
  /** What a ticket is for: a phone, an app. */
  readonly res?: string;
  /** The device a hub's create, stream or input is for (contract 8.2). */
  readonly udid?: string;
  /** Of a hub's create: the hub checks commands, and so does the node for this session (specification 5.7.9). */
  readonly guarded?: boolean;
  /** The driver session a hub's command or input is for (contract 8.2). */
  readonly sid?: string;
  /** Host and port of the node that a hub's create, stream or input is for. */
  readonly node?: string;
  /** What a hub asks its node to do with the device of `udid`. */
  readonly act?: NodeAction;
  /** Of a ticket: the credential that asked for it, which is asked about again when the ticket is redeemed. */
  readonly holder?: TicketHolder;
}
