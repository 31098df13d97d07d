import type { SuccessOf } from './define-route.ts';
import type { auditRoutes } from './routes/audit.ts';
import type { deviceRoutes } from './routes/devices.ts';
import type { leaseRoutes } from './routes/leases.ts';
import type { queueRoutes } from './routes/queue.ts';
import type { sessionRoutes } from './routes/sessions.ts';

/** Names of the events of the audit trail. Each has a text in the dashboard. */
export type AuditEventName =
  | 'authn_login_success'
  | 'authn_login_fail'
  | 'authn_logout'
  | 'authn_passkey_added'
  | 'authn_passkey_clone'
  | 'authn_passkey_removed'
  | 'authn_passkey_renamed'
  | 'authn_reauth_success'
  | 'authn_reauth_fail'
  | 'authn_credential_fail'
  | 'authn_identity_linked'
  | 'authn_identity_unlinked'
  | 'authn_password_change'
  | 'authn_password_change_fail'
  | 'authn_reset_requested'
  | 'authn_reset_link_created'
  | 'authn_access_key_rotated'
  | 'authn_token_created'
  | 'authn_token_used'
  | 'authn_token_revoked'
  | 'authn_terminal_approved'
  | 'authn_terminal_denied'
  | 'authn_terminal_fail'
  | 'authz_fail'
  | 'authz_admin'
  | 'user_created'
  | 'user_updated'
  | 'user_deleted'
  | 'session_created'
  | 'session_create_fail'
  | 'session_wrong_phone'
  | 'session_first_command'
  | 'session_ended'
  | 'session_socket_closed'
  | 'device_adb'
  | 'device_usb'
  | 'device_input'
  | 'attach_created'
  | 'attach_ended'
  | 'device_out_of_service'
  | 'device_in_service'
  | 'spectator_link_created'
  | 'spectator_link_ended'
  | 'spectator_joined'
  | 'spectator_cut'
  | 'lease_created'
  | 'lease_changed'
  | 'lease_ended'
  | 'app_uploaded'
  | 'app_deleted'
  | 'recording_viewed'
  | 'recording_deleted'
  | 'webhook_created'
  | 'webhook_updated'
  | 'webhook_deleted'
  | 'webhook_delivery_failed'
  | 'webhook_delivery_dropped'
  | 'webhook_delivery_resent'
  | 'excess_rate_limit_exceeded'
  | 'sensitive_read'
  | 'sys_signing_key_announced'
  | 'sys_signing_key_changed'
  | 'sys_signing_keys_dropped'
  | 'sys_audit_retention'
  | 'sys_audit_overflow'
  | 'sys_mail_fail';

type AuditRow = SuccessOf<typeof auditRoutes.auditTrail>['items'][number];
type Device = SuccessOf<typeof deviceRoutes.listDevices>[number];
type Lease = SuccessOf<typeof leaseRoutes.changeLease>;
type LogRow = SuccessOf<typeof sessionRoutes.sessionLog>[number];
type Session = SuccessOf<typeof sessionRoutes.session>;
type WaitingRequest = SuccessOf<typeof queueRoutes.getQueue>['items'][number];

/** The phone; `starting` is present only for readers who may see the session that starts (contract 14.4). */
type DevicePayload = { teamId: string | null } & Omit<
  Device,
  'team' | 'health' | 'failureRate' | 'directInput' | 'lease' | 'session'
>;
type HealthPayload = Pick<Device, 'udid' | 'name'> & { reason: string };
/** `email` is null if the account is gone, and `reason` says why the lease ended. */
type LeasePayload = Omit<Lease, 'owner'> & { owner: { id: string; email: string | null }; reason?: string };
type SessionPayload = {
  ownerId: string | null;
  device: (NonNullable<Session['device']> & { osVersion: string | null }) | null;
} & Pick<
  Session,
  'id' | 'name' | 'status' | 'node' | 'tags' | 'startedAt' | 'endedAt' | 'failureCategory' | 'failureReason'
>;

/**
 * Payload and audience of every live event (specification 6). The audience names the readers to whom the event is sent.
 * Every event that is published has one of these types.
 */
export interface LiveEvents {
  account_changed: { payload: { id: string }; audience: 'account' };
  audit: {
    payload: Omit<AuditRow, 'hash' | 'previousHash' | 'via'> & Partial<Pick<AuditRow, 'via'>>;
    audience: 'admins';
  };
  device_new: { payload: DevicePayload; audience: 'device' };
  device_online: { payload: DevicePayload; audience: 'device' };
  device_offline: { payload: DevicePayload; audience: 'device' };
  device_changed: { payload: DevicePayload; audience: 'device' | 'starting device' };
  device_hidden: { payload: { udid: string }; audience: 'hidden device' };
  device_healthy: { payload: HealthPayload; audience: 'device' };
  device_unhealthy: { payload: HealthPayload; audience: 'device' };
  lease_created: { payload: LeasePayload; audience: 'device' };
  lease_changed: { payload: LeasePayload; audience: 'device' };
  lease_ended: { payload: LeasePayload; audience: 'device' };
  node_offline: {
    payload: { name: string; version: string | null; devices: number; lastReportAt: string | null };
    audience: 'admins';
  };
  queue_changed: { payload: { waiting: number }; audience: 'everybody' };
  queue_long: {
    payload: { waiting: number; waitedSeconds: number } & Pick<
      WaitingRequest,
      'kind' | 'since' | 'owner' | 'wants'
    >;
    audience: 'admins';
  };
  recording_stopped: { payload: { id: string; reason: string }; audience: 'session' };
  session_started: { payload: SessionPayload; audience: 'session' };
  session_changed: { payload: SessionPayload; audience: 'session' };
  session_command: {
    payload: { sessionId: string } & Pick<LogRow, 'method' | 'path' | 'status' | 'durationMs'>;
    audience: 'session';
  };
  session_ended: { payload: SessionPayload; audience: 'session' };
  token_expiring: {
    payload: {
      id: string;
      name: string;
      kind: 'profile' | 'api-key' | 'scim';
      owner: { id: string; email: string };
      expiresAt: string;
      days: number;
    };
    audience: 'account';
  };
}

export type LiveEventName = keyof LiveEvents;

type Payloads = { [Name in LiveEventName]: LiveEvents[Name]['payload'] } & {
  /** Kinds of events of which the reader can have missed some (specification 6). */
  history_lost: { readonly lost: readonly ('lab' | 'audit' | 'command')[] };
};

/**
 * An event as a reader receives it. The type `history_lost` means that events of the kinds in `payload.lost` were
 * missed, so the reader must reload the data that depends on them.
 */
export type LiveEvent<Name extends keyof Payloads = keyof Payloads> = {
  [Type in Name]: {
    /** Id of the event; absent if the type is `history_lost`. */
    readonly id?: string;
    readonly type: Type;
    /** Time of the event in ISO 8601 UTC. */
    readonly at: string;
    /** Written field by field, so that the declarations of the published client need no type of this file. */
    readonly payload: { [Field in keyof Payloads[Type]]: Payloads[Type][Field] };
  };
}[Name];
