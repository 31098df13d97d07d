import type { ApiToken } from '@svc/auth-core';

export interface ApiTokenRow {
  id: string;
  owner_id: string;
  hash: string;
  /** Kind of the token. A SCIM key is stored as `api-key` with `is_scim` 1. */
  kind: Exclude<ApiToken['kind'], 'scim'>;
  name: string;
  /** Names of scopes, separated by spaces. */
  scopes: string;
  rate_limit: number;
  /** Id of a team, kept when the team is deleted. Therefore there is no foreign key (see `ApiTokenRows.insert`). */
  team_id: string | null;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
  /**
   * Time (ms since 1970) of the next notice that the token ends soon, `NO_NOTICE` if no further notice is due, and null
   * if the token never expires or was stored by a version without notices.
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
  /** Id of a team, kept when the team is deleted. Therefore there is no foreign key (see `ApiTokenRows.insert`). */
  team_id: string | null;
  /** Ids of credentials, separated by spaces, or null if a person opened the sign-in (see `SignIn.openedWith`). */
  opened_with: string | null;
  /**
   * Time (ms since 1970) at which the person last authenticated, with a password, a passkey or a provider. Null in rows
   * that are older than this column, and in sign-ins that were opened with a key or bearer token.
   */
  proven_at: number | null;
  rule_id: string | null;
  rule_subject: string | null;
  rule_run: string | null;
}

export interface TrustRuleRow {
  id: string;
  owner_id: string;
  /**
   * Id of the parent, or null if there is none. The parent is the rule through which a CI job got the token that
   * created this rule.
   */
  parent_id: string | null;
  name: string;
  issuer: string;
  audience: string | null;
  /** Public keys as JSON. */
  jwks: string | null;
  /** Required claims with their allowed values, as JSON. */
  claims: string;
  /** Names of scopes, separated by spaces. */
  scopes: string;
  /** Id of a team, kept when the team is deleted. Therefore there is no foreign key (see `ApiTokenRows.insert`). */
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
  /** Names of transports, separated by spaces. */
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
}
