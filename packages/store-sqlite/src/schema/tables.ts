import type { ApiToken, AuditEvent } from '@svc/auth-core';
import type { Role, Status } from '@svc/contract';
import type { DriverSessionStatus, FailureCategory } from '@svc/device-lab';
import type { Generated } from 'kysely';

/*
 * The tables as the newest migration leaves them. Times are ms since 1970. Of every secret only its SHA-256 (hex)
 * or its bcrypt hash is here; an access key is no secret by itself (contract 4).
 */

export interface AccountsTable {
  id: string;
  email: string;
  /** The address as it is compared: `emailKey`. */
  email_key: string;
  name: string;
  role: Role;
  status: Status;
  access_key: string;
  password_hash: string | null;
  temporary_password_until: number | null;
  default_password: number;
  created_at: number;
  last_sign_in_at: number | null;
  sign_in_epoch: Generated<number>;
}

interface TeamsTable {
  id: string;
  name: string;
}

interface TeamMembersTable {
  team_id: string;
  account_id: string;
}

export interface ApiTokensTable {
  id: string;
  owner_id: string;
  hash: string;
  kind: ApiToken['kind'];
  name: string;
  /** Scope names, space-joined. */
  scopes: string;
  rate_limit: number;
  /** No foreign key: see `ApiTokens.insert`. */
  team_id: string | null;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
}

export interface SignInsTable {
  id: string;
  account_id: string;
  hash: string;
  created_at: number;
  last_seen_at: number;
  expires_at: number;
  user_agent: string | null;
  /** Scope names, space-joined; null: all the role allows. */
  scopes: string | null;
  until: number | null;
  api_token_id: string | null;
  /** No foreign key: see `ApiTokens.insert`. */
  team_id: string | null;
}

interface ResetLinksTable {
  id: string;
  account_id: string;
  hash: string;
  created_at: number;
  expires_at: number;
}

interface AuditTable {
  /** The order of the chain; nobody outside sees it. */
  number: Generated<number>;
  id: string;
  at: number;
  event: string;
  outcome: AuditEvent['outcome'];
  actor: string | null;
  target: string | null;
  address: string | null;
  request_id: string | null;
  reason: string | null;
  hash: string;
  previous_hash: string;
}

interface SpentTable {
  id: string;
  expires_at: number;
}

interface SettingsTable {
  key: string;
  /** JSON. */
  value: string;
}

export interface DriverSessionsTable {
  id: string;
  name: string | null;
  status: DriverSessionStatus;
  owner_id: string | null;
  /** JSON. */
  device: string | null;
  node: string | null;
  started_at: number;
  ended_at: number | null;
  failure_category: FailureCategory | null;
  failure_reason: string | null;
  /** JSON. */
  tags: string;
  /** JSON. */
  healing_tiers: string | null;
  /** JSON, secrets masked. */
  capabilities: string;
}

interface CommandLogTable {
  session_id: string;
  /** Of the first command in it. */
  seq: number;
  rows: number;
  bytes: number;
  last_at: number;
  /** JSON, secrets masked. */
  entries: string;
}

export interface DeviceSettingsTable {
  udid: string;
  name: string;
  platform: string;
  os_version: string;
  /** No foreign key: a team with a phone cannot be deleted. */
  team_id: string | null;
  /** JSON. */
  tags: string;
}

export interface Tables {
  accounts: AccountsTable;
  teams: TeamsTable;
  team_members: TeamMembersTable;
  api_tokens: ApiTokensTable;
  sign_ins: SignInsTable;
  reset_links: ResetLinksTable;
  audit: AuditTable;
  spent: SpentTable;
  settings: SettingsTable;
  driver_sessions: DriverSessionsTable;
  command_log: CommandLogTable;
  phone_settings: DeviceSettingsTable;
}
