import type { ApiToken } from '@svc/auth-core';

export interface ApiTokenRow {
  id: string;
  owner_id: string;
  hash: string;
  /** Kind of the token. A token of kind `scim` is stored as `api-key`, with `is_scim` set to 1. */
  kind: Exclude<ApiToken['kind'], 'scim'>;
  name: string;
  /** Names of scopes, separated by spaces. */
  scopes: string;
  rate_limit: number;
  /**
   * Id of the team to which the token is limited, or null for no limit. There is no foreign key: if deleting the team
   * set this column to null, the token would no longer be limited.
   */
  team_id: string | null;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
  /**
   * Time (ms since 1970) of the next message that warns of the token's expiry, or `NO_NOTICE` if there is no further
   * message. Null if the token never expires, or was stored by an svc version without such messages.
   */
  next_notice_at: number | null;
  rule_id: string | null;
  rule_subject: string | null;
  rule_run: string | null;
  is_scim: number;
}

export interface SignInRow {
  id: string;
  account_id: string;
  hash: string;
  created_at: number;
  last_seen_at: number;
  expires_at: number;
  user_agent: string | null;
  /** Names of scopes, separated by spaces, or null for all scopes that the role allows. */
  scopes: string | null;
  until: number | null;
  api_token_id: string | null;
  /**
   * Id of the team to which the sign-in is limited, or null for no limit. There is no foreign key: if deleting the team
   * set this column to null, the sign-in would no longer be limited.
   */
  team_id: string | null;
  /** Ids of the credentials through which the sign-in was opened, separated by spaces. Null if a person opened it. */
  opened_with: string | null;
  /**
   * Time (ms since 1970) at which the person last authenticated, with a password, a passkey or a provider. Null if the
   * sign-in was opened with a key or bearer token, or is older than this column.
   */
  proven_at: number | null;
  rule_id: string | null;
  rule_subject: string | null;
  rule_run: string | null;
}

export interface TrustRuleRow {
  id: string;
  owner_id: string;
  /** Id of the parent rule: the rule whose token was used to create this rule. Null if there is none. */
  parent_id: string | null;
  name: string;
  issuer: string;
  audience: string | null;
  /** Public keys of the issuer as JSON, or null if the server fetches them from the issuer. */
  jwks: string | null;
  /** Claims that a token must have, with their allowed values, as JSON. */
  claims: string;
  /** Names of scopes, separated by spaces. */
  scopes: string;
  /**
   * Id of the team to which the rule's tokens are limited, or null for no limit. There is no foreign key: if deleting
   * the team set this column to null, the tokens would no longer be limited.
   */
  team_id: string | null;
  max_minutes: number;
  paused: number;
  created_at: number;
  last_used_at: number | null;
  expires_at: number | null;
  /** Latest CI runs that exchanged a token through this rule, as JSON, newest first. */
  runs: string;
}

export interface PasskeyRow {
  id: string;
  account_id: string;
  credential_id: string;
  public_key: string;
  counter: number;
  /** Names of the WebAuthn transports of the passkey, separated by spaces. */
  transports: string;
  aaguid: string;
  device_type: 'singleDevice' | 'multiDevice';
  backed_up: number;
  name: string;
  rp_id: string;
  created_at: number;
  last_used_at: number | null;
}

export interface PasskeyUserRow {
  account_id: string;
  handle: string;
}

export interface ResetLinkRow {
  id: string;
  account_id: string;
  hash: string;
  created_at: number;
  expires_at: number;
}

export interface SpentRow {
  id: string;
  expires_at: number;
}

export interface RevokedTokenRow {
  id: string;
  account_id: string;
  cascades: number;
  expires_at: number;
  source_id: string | null;
}
