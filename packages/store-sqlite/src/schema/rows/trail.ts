import type { AuditEvent, MarkName } from '@svc/auth-core';
import type { WebhookEvent, WebhookFailure, WebhookFormat } from '@svc/contract';

export interface AuditTrailRow {
  /** Position of the row in the audit chain. */
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
  /** Number of the audit row whose hash is in the column `hash`. */
  number: number;
  hash: string;
  /** HMAC of the mark's name, number and hash. Its key is not stored in the database. */
  seal: string;
}

export interface EventLogRow {
  /** Number of the row in the order of writing. */
  number: number;
  id: string;
  at: number;
  type: string;
  /** Fields of the event as JSON, without secrets. */
  payload: string;
}

export interface WebhookRow {
  id: string;
  /** Address and signing secret of the webhook, as encrypted JSON (docs/decisions/0013). */
  sealed: string;
  host: string;
  /** Names of the events that the webhook receives, as a JSON array. */
  events: string;
  created_at: number;
  /**
   * Id of the account that created the webhook. There is no foreign key, because the webhook stays when this account is
   * deleted.
   */
  created_by: string | null;
  last_at: number | null;
  last_status: number | null;
  last_error: WebhookFailure | null;
  format: WebhookFormat;
  /**
   * Id of the team whose events the webhook gets, or null for the events of all teams. There is no foreign key: if
   * deleting the team set this column to null, the webhook would get the events of all teams.
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
  /**
   * Time (ms since 1970) of the last attempt to deliver, whose result is in `status` and `error`. Null before the first
   * attempt.
   */
  tried_at: number | null;
  status: number | null;
  error: WebhookFailure | null;
  is_finished: number;
}
