import type { ApiToken, AuditEvent, MarkName } from '@svc/auth-core';
import type { Role, Status, WebhookEvent, WebhookFailure } from '@svc/contract';
import type { DriverSessionStatus, FailureCategory } from '@svc/device-lab';

/**
 * The columns of each table after the newest migration, which a test compares with the database. Times are in ms since
 * 1970. Every secret is stored only as its SHA-256 (hex) or bcrypt hash; an access key alone is not a secret (contract
 * 4).
 */

export interface AccountRow {
  id: string;
  email: string;
  /** E-mail address in the form that `emailKey` returns, which is used for comparisons. */
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
  sign_in_epoch: number;
  spared_sign_in: string | null;
}

export interface TeamRow {
  id: string;
  name: string;
}

interface TeamMemberRow {
  team_id: string;
  account_id: string;
}

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
  /** Id of a team. There is no foreign key, because deleting the team must not clear it (see `ApiTokenRows.insert`). */
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
  /** Id of a team. There is no foreign key, because deleting the team must not clear it (see `ApiTokenRows.insert`). */
  team_id: string | null;
  /** Ids of credentials, separated by spaces, or null if a person opened the sign-in (see `SignIn.openedWith`). */
  opened_with: string | null;
  /**
   * Time (ms since 1970) at which a person last proved the sign-in. Null in rows that are older than this column, and
   * in sign-ins that were opened with a key or bearer token.
   */
  proven_at: number | null;
  rule_id: string | null;
  rule_subject: string | null;
  rule_run: string | null;
}

export interface TrustRuleRow {
  id: string;
  owner_id: string;
  /** Id of the rule with whose token this rule was created, or null. */
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
  /** Id of a team. There is no foreign key, because deleting the team must not clear it (see `ApiTokenRows.insert`). */
  team_id: string | null;
  max_minutes: number;
  paused: number;
  created_at: number;
  last_used_at: number | null;
  expires_at: number | null;
  /** Latest runs as JSON, newest first. */
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

interface PasskeyUserRow {
  account_id: string;
  handle: string;
}

interface ResetLinkRow {
  id: string;
  account_id: string;
  hash: string;
  created_at: number;
  expires_at: number;
}

interface AuditTrailRow {
  /** Position of the row in the audit chain, which is not part of any API response. */
  number: number;
  id: string;
  at: number;
  event: string;
  outcome: AuditEvent['outcome'];
  actor: string | null;
  target: string | null;
  address: string | null;
  peer: string | null;
  request_id: string | null;
  reason: string | null;
  via: string | null;
  hash: string;
  previous_hash: string;
}

interface AuditMarkRow {
  name: MarkName;
  /** Number of the audit row that the mark refers to. */
  number: number;
  hash: string;
  /** Authentication code computed with the key of the audit chain, which is not in the database. */
  seal: string;
}

interface SpentRow {
  id: string;
  expires_at: number;
}

export interface RevokedTokenRow {
  id: string;
  account_id: string;
  cascades: number;
  expires_at: number;
}

interface SettingRow {
  key: string;
  /** Value of the setting as JSON. */
  value: string;
}

export interface DriverSessionRow {
  id: string;
  name: string | null;
  status: DriverSessionStatus;
  owner_id: string | null;
  /** Description of the device as JSON. */
  device: string | null;
  node: string | null;
  started_at: number;
  ended_at: number | null;
  failure_category: FailureCategory | null;
  failure_reason: string | null;
  /** Tags as JSON. */
  tags: string;
  /** Healing tiers as JSON. */
  healing_tiers: string | null;
  /** JSON with all secrets masked. */
  capabilities: string;
  /** Description of the CI run that created the session, for people, or null. */
  started_by: string | null;
  /** Id of the `svc-mcp` token that created the session, or null if no agent created it. */
  agent_id: string | null;
  /** Time (ms since 1970) at which the `svc-mcp` token in `agent_id` expires. */
  agent_until: number | null;
}

interface CommandLogChunkRow {
  session_id: string;
  /** Number of the first command in the chunk. */
  seq: number;
  rows: number;
  bytes: number;
  last_at: number;
  /** JSON with all secrets masked. */
  entries: string;
}

interface EventLogRow {
  /** Number in the order of writing, which is not part of any API response. */
  number: number;
  id: string;
  at: number;
  type: string;
  /** JSON that contains no secrets. */
  payload: string;
}

export interface DeviceSettingRow {
  udid: string;
  name: string;
  platform: string;
  os_version: string;
  /** Id of a team. A foreign key is not needed, because a team that has a phone cannot be deleted. */
  team_id: string | null;
  /** Tags as JSON. */
  tags: string;
  node: string | null;
  last_seen_at: number | null;
}

interface LocatorEtalonRow {
  id: string;
  strategy: string;
  selector: string;
  created_at: number;
  path: string | null;
}

export interface LeaseRow {
  id: string;
  udid: string;
  owner_id: string;
  hash: string;
  created_at: number;
  expires_at: number;
}

export interface AppRow {
  id: string;
  name: string;
  /** Size of the file in bytes. */
  size: number;
  /** SHA-256 of the file in hex. */
  sha256: string;
  created_at: number;
}

export interface WebhookRow {
  id: string;
  /** Encrypted JSON of the address and the signing secret (docs/decisions/0013). */
  sealed: string;
  host: string;
  /** Names of events as JSON. */
  events: string;
  created_at: number;
  /** Id of an account. There is no foreign key, because a webhook outlives the account that created it. */
  created_by: string | null;
  last_at: number | null;
  last_status: number | null;
  last_error: WebhookFailure | null;
}

export interface WebhookDeliveryRow {
  id: string;
  webhook_id: string;
  event: WebhookEvent;
  /** JSON exactly as it is sent to the webhook. */
  body: string;
  created_at: number;
  failures: number;
  due_at: number;
}

export interface NodeRow {
  name: string;
  url: string;
  base_path: string;
  version: string;
  /** Id of an account. There is no foreign key, because a node outlives the account that registered it. */
  owner_id: string;
  registered_at: number;
  last_seen_at: number;
  /** SHA-256 (base64) of the public key in the first certificate that the node presented. */
  key_pin: string | null;
}

interface DirectoryUserRow {
  account_id: string;
  external_id: string | null;
  is_deleted: number;
}

interface IdentityRow {
  id: string;
  account_id: string;
  issuer: string;
  subject: string;
  created_at: number;
  last_sign_in_at: number | null;
}

interface ProviderSignInRow {
  /** Id of a sign-in. The column has no foreign key, because the row must outlive the sign-in. */
  sign_in_id: string;
  account_id: string;
  issuer: string;
  subject: string;
  sid: string | null;
  /** Time (ms since 1970) at which the clean-up noticed that the sign-in had ended, or null while it is open. */
  ended_at: number | null;
}

export interface Tables {
  accounts: AccountRow;
  teams: TeamRow;
  team_members: TeamMemberRow;
  api_tokens: ApiTokenRow;
  sign_ins: SignInRow;
  trust_rules: TrustRuleRow;
  reset_links: ResetLinkRow;
  passkeys: PasskeyRow;
  passkey_users: PasskeyUserRow;
  audit: AuditTrailRow;
  audit_marks: AuditMarkRow;
  spent: SpentRow;
  revoked_tokens: RevokedTokenRow;
  settings: SettingRow;
  driver_sessions: DriverSessionRow;
  command_log: CommandLogChunkRow;
  DeviceSetting: DeviceSettingRow;
  LocatorEtalon: LocatorEtalonRow;
  leases: LeaseRow;
  apps: AppRow;
  event_log: EventLogRow;
  webhooks: WebhookRow;
  webhook_deliveries: WebhookDeliveryRow;
  nodes: NodeRow;
  directory_users: DirectoryUserRow;
  identities: IdentityRow;
  provider_sign_ins: ProviderSignInRow;
}
