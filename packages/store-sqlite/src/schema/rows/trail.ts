import type { AuditEvent, MarkName } from '@svc/auth-core';
import type { WebhookEvent, WebhookFailure, WebhookFormat } from '@svc/contract';

export interface AuditTrailRow {
  /** Position of the row in the audit chain. No API response contains this number. */
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

export interface AuditMarkRow {
  name: MarkName;
  /** Number of the audit row whose hash this row stores. */
  number: number;
  hash: string;
  /** Authentication code computed with the key of the audit chain, which is not in the database. */
  seal: string;
}

export interface EventLogRow {
  /** Number of the row in the order of writing. No API response contains this number. */
  number: number;
  id: string;
  at: number;
  type: string;
  /** JSON that contains no secrets. */
  payload: string;
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
  format: WebhookFormat;
  /**
   * Id of the team whose events the webhook gets, or null for the events of all teams. There is no foreign key: if
   * deleting the team set the column to null, the webhook would get the events of all teams.
   */
  team_id: string | null;
  tag: string | null;
  is_paused: number;
}

export interface WebhookDeliveryRow {
  id: string;
  webhook_id: string;
  event: WebhookEvent;
  /** JSON of the event and its payload. */
  body: string;
  created_at: number;
  failures: number;
  due_at: number;
  /** Time of the last try. `status` and `error` contain the result of this try. */
  tried_at: number | null;
  status: number | null;
  error: WebhookFailure | null;
  is_finished: number;
}
