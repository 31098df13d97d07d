import type { DriverSessionStatus, FailureCategory } from '@svc/device-lab';

export interface DriverSessionRow {
  id: string;
  name: string | null;
  status: DriverSessionStatus;
  owner_id: string | null;
  /** Description of the session's device as JSON. Null if the lab has no devices, so that the driver picked one. */
  device: string | null;
  node: string | null;
  started_at: number;
  ended_at: number | null;
  failure_category: FailureCategory | null;
  failure_reason: string | null;
  /** Tags as JSON. */
  tags: string;
  /**
   * Value of the capability `healingTiers` as JSON, a list of numbers from 1 to 5. Null if the client did not set it.
   */
  healing_tiers: string | null;
  /** Capabilities of the session as JSON, with all secrets masked. */
  capabilities: string;
  /**
   * Readable description of the CI run that created the session, or null if the session was not created by a CI run.
   */
  started_by: string | null;
  /** Id of the `svc-mcp` token with which an agent created the session, or null if no agent created it. */
  agent_id: string | null;
  /** Time (ms since 1970) at which the token `agent_id` expires, or null if no agent created the session. */
  agent_until: number | null;
  /** Maximum number of session minutes per day for the token `agent_id`, or null for no limit. */
  agent_minutes: number | null;
  /** Cleaning of the phone after the session as JSON, or null if it is not cleaned. */
  clean: string | null;
}

export interface CommandLogChunkRow {
  session_id: string;
  /** Number of the first command in this part of the session's command log. */
  seq: number;
  rows: number;
  bytes: number;
  last_at: number;
  /** Commands as JSON, with all secrets masked. */
  entries: string;
}

export interface OutOfServiceTableRow {
  udid: string;
  reason: string;
  /** Account of the Admin who put the phone out of service, or null if the lab did. */
  by_id: string | null;
  since: number;
  until: number | null;
}

export interface PhoneHealthRow {
  udid: string;
  at: number;
  battery: number | null;
  temperature: number | null;
  storage_free: number | null;
}

export interface PhoneDayRow {
  udid: string;
  /** Beginning of the day in ms since 1970. */
  day: number;
  ended: number;
  failed: number;
  refused: number;
}

export interface PhoneCleaningRow {
  udid: string;
  holder_id: string | null;
  mode: 'apps' | 'data';
  since: number;
  /** What was on the phone before as JSON, or null if it could not be read. */
  before: string | null;
  /** Ids of sessions as JSON. */
  sessions: string;
  is_kept: number;
}

export interface DeviceSettingRow {
  udid: string;
  name: string;
  platform: string;
  os_version: string;
  /**
   * Id of the phone's team, or null for the shared pool. A foreign key is not needed, because a team that has a phone
   * cannot be deleted.
   */
  team_id: string | null;
  /** Tags as JSON. */
  tags: string;
  node: string | null;
  last_seen_at: number | null;
  /** Name that an Admin gave the phone, or null. */
  given_name: string | null;
  note: string | null;
}

export interface LocatorEtalonRow {
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
  /** JSON of a `LeaseAgent`, or null if no agent created the lease. */
  agent: string | null;
}

export interface AgentLeaseTimeRow {
  /** Id of the `svc-mcp` token of the agent. */
  agent_id: string;
  /** Beginning of the day in ms since 1970. */
  day: number;
  /** Time (ms) for which the agent held leased phones without a session on this day. */
  ms: number;
}

export interface AttachRow {
  id: string;
  session_id: string;
  hash: string;
  account_id: string;
  /** `StoredCaller` of auth-core as JSON. */
  maker: string;
  created_at: number;
  expires_at: number;
  last_used_at: number | null;
  last_address: string | null;
  last_agent: string | null;
}

export interface AppRow {
  id: string;
  name: string;
  /** Size of the file in bytes. */
  size: number;
  /** SHA-256 of the file in hex. */
  sha256: string;
  created_at: number;
  /**
   * Id of the account that uploaded the app, or null for apps that an earlier svc version stored. There is no foreign
   * key, because the app stays when this account is deleted.
   */
  uploaded_by: string | null;
}

export interface NodeRow {
  name: string;
  url: string;
  base_path: string;
  version: string;
  /**
   * Id of the account that registered the node. There is no foreign key, because the node stays when this account is
   * deleted.
   */
  owner_id: string;
  registered_at: number;
  last_seen_at: number;
  /** SHA-256 (base64) of the public key in the first certificate that the node presented, or null before that. */
  key_pin: string | null;
}

export interface PhoneUseRow {
  /** Beginning of the hour in ms since 1970. */
  hour: number;
  udid: string;
  /** Id of the phone's team during the use, or an empty text for the shared pool. */
  team_id: string;
  present_ms: number;
  busy_ms: number;
  leased_ms: number;
  waited_ms: number;
}
