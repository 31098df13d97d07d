// Generated from the migrations by test/current-tables.test.ts; do not edit.

/** Names of all migrations, in order. */
export const CURRENT_MIGRATIONS = [
  '0001-accounts',
  '0002-driver-sessions',
  '0003-command-log',
  '0004-sign-in-team',
  '0005-audit-chain',
  '0006-spared-sign-in',
  '0007-leases',
  '0008-apps',
  '0009-event-log',
  '0010-webhooks',
  '0011-nodes',
  '0012-node-keys',
  '0014-session-lists',
  '0015-baseline',
  '0016-2.14-device-setting',
  '0017-2.15-locator-etalon-path',
  '0018-2.18-revoked-tokens',
  '0019-2.18-passkeys',
  '0020-2.18-identities',
  '0021-2.18-trust-rules',
  '0022-2.18-token-notices',
  '0024-2.18-token-limits',
  '0025-2.18-fresh-sign-ins',
  '0026-2.18-scim',
  '0027-2.18-agent-minutes',
  '0029-2.18-webhook-deliveries',
  '0030-2.18-phone-use',
  '0033-2.18-app-uploaders',
  '0034-2.18-revoked-sources',
  '0035-2.18-lease-agents',
  '0036-2.18-deactivated-users',
  '0049-2.18-attach',
  '0052-2.18-out-of-service',
  '0055-2.18-phone-cleaning',
  '0056-2.18-session-clean',
  '0057-2.18-lists-by-creation',
  '0058-2.18-agent-lease-times',
  '0059-2.18-unconfirmed-emails',
  '0073-2.18-device-names',
  '0074-2.18-phone-health',
  '0075-2.18-shares',
  '0076-2.18-session-run-links',
  '0077-2.18-session-durations',
] as const;

/** Tables and indexes that all migrations create in an empty database. No migration adds rows. */
export const CURRENT_TABLES = `
CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
CREATE TABLE "accounts" ("id" text not null primary key, "email" text not null, "email_key" text not null unique, "name" text not null, "role" text not null check (role in ('Member', 'Admin', 'Super admin')), "status" text not null check (status in ('Active', 'Inactive')), "access_key" text not null unique, "password_hash" text, "temporary_password_until" integer, "default_password" integer default 0 not null, "created_at" integer not null, "last_sign_in_at" integer, "sign_in_epoch" integer default 0 not null, "spared_sign_in" text) strict;
CREATE TABLE "teams" ("id" text not null primary key, "name" text not null unique) strict;
CREATE TABLE "team_members" ("account_id" text not null references "accounts" ("id") on delete cascade, "team_id" text not null references "teams" ("id") on delete cascade, constraint "team_members_pk" primary key ("account_id", "team_id")) without rowid, strict;
CREATE INDEX "team_members_team" on "team_members" ("team_id");
CREATE TABLE "api_tokens" ("id" text not null primary key, "owner_id" text not null references "accounts" ("id") on delete cascade, "hash" text not null unique, "kind" text not null check (kind in ('profile', 'api-key')), "name" text not null, "scopes" text not null, "rate_limit" integer not null, "team_id" text, "created_at" integer not null, "expires_at" integer, "last_used_at" integer, "rule_id" text references "trust_rules" ("id") on delete cascade, "rule_subject" text, "rule_run" text, "next_notice_at" integer, "is_scim" integer default 0 not null) strict;
CREATE INDEX "api_tokens_owner" on "api_tokens" ("owner_id");
CREATE TABLE "sign_ins" ("id" text not null primary key, "account_id" text not null references "accounts" ("id") on delete cascade, "hash" text not null unique, "created_at" integer not null, "last_seen_at" integer not null, "expires_at" integer not null, "user_agent" text, "scopes" text, "until" integer, "api_token_id" text references "api_tokens" ("id") on delete cascade, "team_id" text, "opened_with" text, "rule_id" text references "trust_rules" ("id") on delete cascade, "rule_subject" text, "rule_run" text, "proven_at" integer) strict;
CREATE INDEX "sign_ins_account" on "sign_ins" ("account_id");
CREATE INDEX "sign_ins_api_token" on "sign_ins" ("api_token_id");
CREATE INDEX "sign_ins_expiry" on "sign_ins" ("expires_at");
CREATE TABLE "reset_links" ("id" text not null primary key, "account_id" text not null references "accounts" ("id") on delete cascade, "hash" text not null unique, "created_at" integer not null, "expires_at" integer not null) strict;
CREATE INDEX "reset_links_account" on "reset_links" ("account_id");
CREATE INDEX "reset_links_expiry" on "reset_links" ("expires_at");
CREATE TABLE "audit" ("number" integer primary key autoincrement, "id" text not null unique, "at" integer not null, "event" text not null, "outcome" text not null check (outcome in ('success', 'failure')), "actor" text, "target" text, "address" text, "request_id" text, "reason" text, "hash" text not null, "previous_hash" text not null, "peer" text, "via" text) strict;
CREATE TABLE "spent" ("id" text not null primary key, "expires_at" integer not null) without rowid, strict;
CREATE INDEX "spent_expiry" on "spent" ("expires_at");
CREATE TABLE "settings" ("key" text not null primary key, "value" text not null) without rowid, strict;
CREATE TABLE "driver_sessions" ("id" text not null primary key, "name" text, "status" text not null check (status in ('running', 'ended', 'passed', 'failed')), "owner_id" text, "device" text, "node" text, "started_at" integer not null, "ended_at" integer, "failure_category" text, "failure_reason" text, "tags" text not null, "healing_tiers" text, "capabilities" text not null, "started_by" text, "agent_id" text, "agent_until" integer, "agent_minutes" integer, "clean" text, "started_by_url" text) strict;
CREATE INDEX "driver_sessions_ended" on "driver_sessions" ("ended_at");
CREATE TABLE "command_log" ("session_id" text not null, "seq" integer not null, "rows" integer not null, "bytes" integer not null, "last_at" integer not null, "entries" text not null, constraint "command_log_pk" primary key ("session_id", "seq")) strict;
CREATE INDEX "command_log_age" on "command_log" ("last_at");
CREATE TABLE "DeviceSetting" ("udid" text not null primary key, "name" text not null, "platform" text not null, "os_version" text not null, "team_id" text, "tags" text not null, "node" text, "last_seen_at" integer, "given_name" text, "note" text) strict;
CREATE TABLE "audit_marks" ("name" text not null primary key check (name in ('head', 'anchor', 'legacy')), "number" integer not null, "hash" text not null, "seal" text not null) without rowid, strict;
CREATE INDEX "audit_sign_ins" on "audit" ("number") where "event" = 'authn_login_success';
CREATE TABLE "leases" ("id" text not null primary key, "udid" text not null unique, "owner_id" text not null references "accounts" ("id") on delete cascade, "hash" text not null, "created_at" integer not null, "expires_at" integer not null, "agent" text) strict;
CREATE INDEX "leases_owner" on "leases" ("owner_id");
CREATE TABLE "apps" ("id" text not null primary key, "name" text not null, "size" integer not null, "sha256" text not null, "created_at" integer not null, "uploaded_by" text) strict;
CREATE TABLE "event_log" ("number" integer not null primary key autoincrement, "id" text not null unique, "at" integer not null, "type" text not null, "payload" text not null) strict;
CREATE INDEX "event_log_age" on "event_log" ("at");
CREATE TABLE "webhooks" ("id" text not null primary key, "sealed" text not null, "host" text not null, "events" text not null, "created_at" integer not null, "created_by" text, "last_at" integer, "last_status" integer, "last_error" text, "format" text default 'svc' not null, "team_id" text, "tag" text, "is_paused" integer default 0 not null) strict;
CREATE TABLE "webhook_deliveries" ("id" text not null primary key, "webhook_id" text not null references "webhooks" ("id") on delete cascade, "event" text not null, "body" text not null, "created_at" integer not null, "failures" integer not null, "due_at" integer not null, "tried_at" integer, "status" integer, "error" text, "is_finished" integer default 0 not null) strict;
CREATE INDEX "webhook_deliveries_due" on "webhook_deliveries" ("webhook_id", "due_at");
CREATE TABLE "nodes" ("name" text not null primary key, "url" text not null, "base_path" text not null, "version" text not null, "owner_id" text not null, "registered_at" integer not null, "last_seen_at" integer not null, "key_pin" text) strict;
CREATE INDEX "driver_sessions_newest" on "driver_sessions" ("started_at", "status", "owner_id");
CREATE INDEX "driver_sessions_owned" on "driver_sessions" ("owner_id", "started_at", "status");
CREATE INDEX "driver_sessions_named" on "driver_sessions" ("name", "started_at", "status", "owner_id");
CREATE TABLE "LocatorEtalon" ("id" text not null primary key, "strategy" text not null, "selector" text not null, "created_at" integer not null, "path" text) strict;
CREATE TABLE "revoked_tokens" ("id" text not null primary key, "account_id" text not null, "cascades" integer not null, "expires_at" integer not null, "source_id" text) without rowid, strict;
CREATE INDEX "revoked_tokens_expiry" on "revoked_tokens" ("expires_at");
CREATE INDEX "revoked_tokens_account" on "revoked_tokens" ("account_id");
CREATE TABLE "passkeys" ("id" text not null primary key, "account_id" text not null references "accounts" ("id") on delete cascade, "credential_id" text not null unique, "public_key" text not null, "counter" integer not null, "transports" text not null, "aaguid" text not null, "device_type" text not null check (device_type in ('singleDevice', 'multiDevice')), "backed_up" integer not null, "name" text not null, "rp_id" text not null, "created_at" integer not null, "last_used_at" integer) strict;
CREATE INDEX "passkeys_account" on "passkeys" ("account_id");
CREATE TABLE "passkey_users" ("account_id" text not null primary key references "accounts" ("id") on delete cascade, "handle" text not null unique) strict;
CREATE TABLE "identities" ("id" text not null primary key, "account_id" text not null references "accounts" ("id") on delete cascade, "issuer" text not null, "subject" text not null, "created_at" integer not null, "last_sign_in_at" integer, constraint "identities_person" unique ("issuer", "subject")) strict;
CREATE INDEX "identities_account" on "identities" ("account_id");
CREATE TABLE "provider_sign_ins" ("sign_in_id" text not null primary key, "account_id" text not null references "accounts" ("id") on delete cascade, "issuer" text not null, "subject" text not null, "sid" text, "ended_at" integer) strict;
CREATE INDEX "provider_sign_ins_person" on "provider_sign_ins" ("issuer", "subject");
CREATE INDEX "provider_sign_ins_session" on "provider_sign_ins" ("issuer", "sid");
CREATE INDEX "provider_sign_ins_account" on "provider_sign_ins" ("account_id");
CREATE INDEX "provider_sign_ins_end" on "provider_sign_ins" ("ended_at");
CREATE TABLE "trust_rules" ("id" text not null primary key, "owner_id" text not null references "accounts" ("id") on delete cascade, "parent_id" text references "trust_rules" ("id") on delete cascade, "name" text not null, "issuer" text not null, "audience" text, "jwks" text, "claims" text not null, "scopes" text not null, "team_id" text, "max_minutes" integer not null, "paused" integer not null, "created_at" integer not null, "last_used_at" integer, "expires_at" integer, "runs" text not null) strict;
CREATE INDEX "trust_rules_owner" on "trust_rules" ("owner_id");
CREATE INDEX "api_tokens_rule" on "api_tokens" ("rule_id");
CREATE INDEX "sign_ins_rule" on "sign_ins" ("rule_id");
CREATE INDEX "api_tokens_notice" on "api_tokens" ("next_notice_at", "expires_at");
CREATE INDEX "driver_sessions_of_agents" on "driver_sessions" ("agent_id", "started_at") where "agent_id" is not null;
CREATE TABLE "directory_users" ("account_id" text not null primary key references "accounts" ("id") on delete cascade, "external_id" text, "is_deleted" integer not null, "is_deactivated" integer) strict;
CREATE INDEX "directory_users_external" on "directory_users" ("external_id");
CREATE TABLE "phone_use" ("hour" integer not null, "udid" text not null, "team_id" text not null, "present_ms" integer not null, "busy_ms" integer not null, "leased_ms" integer not null, "waited_ms" integer not null, constraint "phone_use_pk" primary key ("hour", "udid", "team_id")) without rowid, strict;
CREATE TABLE "attach_addresses" ("id" text not null primary key, "session_id" text not null, "hash" text not null unique, "account_id" text not null references "accounts" ("id") on delete cascade, "maker" text not null, "created_at" integer not null, "expires_at" integer not null, "last_used_at" integer, "last_address" text, "last_agent" text) strict;
CREATE INDEX "attach_addresses_account" on "attach_addresses" ("account_id");
CREATE TABLE "out_of_service" ("udid" text not null primary key, "reason" text not null, "by_id" text, "since" integer not null, "until" integer) without rowid, strict;
CREATE TABLE "phone_cleaning" ("udid" text not null primary key, "holder_id" text, "mode" text not null, "since" integer not null, "before" text, "sessions" text not null, "is_kept" integer not null) strict;
CREATE INDEX "accounts_created" on "accounts" ("created_at", "id");
CREATE INDEX "api_tokens_created" on "api_tokens" ("created_at", "id");
CREATE TABLE "agent_lease_times" ("agent_id" text not null primary key, "day" integer not null, "ms" integer not null) strict;
CREATE TABLE "unconfirmed_emails" ("account_id" text not null primary key references "accounts" ("id") on delete cascade) strict;
CREATE TABLE "phone_health" ("udid" text not null, "at" integer not null, "battery" real, "temperature" real, "storage_free" integer, constraint "phone_health_pk" primary key ("udid", "at")) without rowid, strict;
CREATE TABLE "phone_days" ("udid" text not null, "day" integer not null, "ended" integer not null, "failed" integer not null, "refused" integer not null, constraint "phone_days_pk" primary key ("udid", "day")) without rowid, strict;
CREATE INDEX "phone_days_age" on "phone_days" ("day");
CREATE INDEX "phone_health_age" on "phone_health" ("at");
CREATE TABLE "share_limits" ("account_id" text unique references "accounts" ("id") on delete cascade, "team_id" text unique references "teams" ("id") on delete cascade, "sessions" integer, "leases" integer, "minutes" integer, constraint "share_limits_subject" check ((account_id is null) <> (team_id is null))) strict;
CREATE TABLE "account_days" ("day" integer not null, "account_id" text not null references "accounts" ("id") on delete cascade, "session_ms" integer not null, "lease_ms" integer not null, constraint "account_days_pk" primary key ("day", "account_id")) without rowid, strict;
CREATE INDEX "account_days_account" on "account_days" ("account_id");
CREATE TABLE "phone_months" ("month" integer not null, "udid" text not null, "team_id" text not null, "present_ms" integer not null, "busy_ms" integer not null, "leased_ms" integer not null, "waited_ms" integer not null, constraint "phone_months_pk" primary key ("month", "udid", "team_id")) without rowid, strict;
CREATE TABLE "kind_months" ("month" integer not null, "kind" text not null, "saved_ms" integer not null, constraint "kind_months_pk" primary key ("month", "kind")) without rowid, strict;
CREATE INDEX "driver_sessions_lasted" on "driver_sessions" (("ended_at" - "started_at"), "started_at", "status", "owner_id") where "ended_at" is not null;
CREATE INDEX "driver_sessions_owner_lasted" on "driver_sessions" ("owner_id", ("ended_at" - "started_at"), "started_at", "status") where "ended_at" is not null;
`;
