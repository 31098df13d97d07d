/**
 * SQL of the migrations up to release 2.17. From `0016` on, the name of a migration contains the release that introduced
 * it (specification 9.2).
 */
export const UNTIL_2_17 = {
  '0001-accounts': `
    create table accounts (
      id text not null primary key, email text not null, email_key text not null unique, name text not null,
      role text not null check (role in ('Member', 'Admin', 'Super admin')),
      status text not null check (status in ('Active', 'Inactive')), access_key text not null unique,
      password_hash text, temporary_password_until integer, default_password integer default 0 not null,
      created_at integer not null, last_sign_in_at integer, sign_in_epoch integer default 0 not null
    ) strict;
    create table teams (
      id text not null primary key, name text not null unique
    ) strict;
    create table team_members (
      account_id text not null references accounts (id) on delete cascade,
      team_id text not null references teams (id) on delete cascade,
      constraint team_members_pk primary key (account_id, team_id)
    ) without rowid, strict;
    create index team_members_team on team_members (team_id);
    create table api_tokens (
      id text not null primary key, owner_id text not null references accounts (id) on delete cascade,
      hash text not null unique, kind text not null check (kind in ('profile', 'api-key')), name text not null,
      scopes text not null, rate_limit integer not null, team_id text, created_at integer not null,
      expires_at integer, last_used_at integer
    ) strict;
    create index api_tokens_owner on api_tokens (owner_id);
    create table sign_ins (
      id text not null primary key, account_id text not null references accounts (id) on delete cascade,
      hash text not null unique, created_at integer not null, last_seen_at integer not null,
      expires_at integer not null, user_agent text, scopes text, until integer,
      api_token_id text references api_tokens (id) on delete cascade
    ) strict;
    create index sign_ins_account on sign_ins (account_id);
    create index sign_ins_api_token on sign_ins (api_token_id);
    create index sign_ins_expiry on sign_ins (expires_at);
    create table reset_links (
      id text not null primary key, account_id text not null references accounts (id) on delete cascade,
      hash text not null unique, created_at integer not null, expires_at integer not null
    ) strict;
    create index reset_links_account on reset_links (account_id);
    create index reset_links_expiry on reset_links (expires_at);
    create table audit (
      number integer primary key autoincrement, id text not null unique, at integer not null, event text not null,
      outcome text not null check (outcome in ('success', 'failure')), actor text, target text, address text,
      request_id text, reason text, hash text not null, previous_hash text not null
    ) strict;
    create table spent (
      id text not null primary key, expires_at integer not null
    ) without rowid, strict;
    create index spent_expiry on spent (expires_at);
    create table settings (
      key text not null primary key, value text not null
    ) without rowid, strict;`,
  // Creates the table of driver sessions. The owner is not a foreign key, because sessions remain with the owner's id
  // after the owner's account is deleted.
  '0002-driver-sessions': `
    create table driver_sessions (
      id text not null primary key, name text,
      status text not null check (status in ('running', 'ended', 'passed', 'failed')), owner_id text, device text,
      node text, started_at integer not null, ended_at integer, failure_category text, failure_reason text,
      tags text not null, healing_tiers text, capabilities text not null
    ) strict;
    create index driver_sessions_started on driver_sessions (started_at);
    create index driver_sessions_owner on driver_sessions (owner_id, started_at);
    create index driver_sessions_ended on driver_sessions (ended_at);`,
  // Creates tables for the command log of each session, and for the teams and tags that Admins assign to phones.
  '0003-command-log': `
    create table command_log (
      session_id text not null, seq integer not null, rows integer not null, bytes integer not null,
      last_at integer not null, entries text not null, constraint command_log_pk primary key (session_id, seq)
    ) strict;
    create index command_log_age on command_log (last_at);
    create table phone_settings (
      udid text not null primary key, name text not null, platform text not null, os_version text not null,
      team_id text, tags text not null
    ) strict;`,
  // Adds to each sign-in the team of the API key with which it was opened. For older rows, in which the column is
  // null, the server reads the team from the row of that API key.
  '0004-sign-in-team': `
    alter table sign_ins add column team_id text;`,
  // Adds a column for the socket's remote address (`peer`) to the audit trail, and an index of successful sign-ins.
  // Also adds a table for sealed marks: authenticated copies of the number and hash of certain rows, such as the last
  // row. With them, the server notices if rows were removed at an end of the chain.
  '0005-audit-chain': `
    alter table audit add column peer text;
    create table audit_marks (
      name text not null primary key check (name in ('head', 'anchor', 'legacy')), number integer not null,
      hash text not null, seal text not null
    ) without rowid, strict;
    create index audit_sign_ins on audit (number) where event = 'authn_login_success';`,
  // Adds to accounts the id of the sign-in that last changed the password. A change of the password ends the bearer
  // tokens that were minted from other sign-ins of the account, but not the tokens from this sign-in.
  '0006-spared-sign-in': `
    alter table accounts add column spared_sign_in text;`,
  // Adds the table of leases (reservations of phones by users), and columns for the node of a phone and the time when
  // the phone was last connected. A phone has at most one lease. A lease is deleted with the account that holds it.
  '0007-leases': `
    create table leases (
      id text not null primary key, udid text not null unique,
      owner_id text not null references accounts (id) on delete cascade, hash text not null,
      created_at integer not null, expires_at integer not null
    ) strict;
    create index leases_owner on leases (owner_id);
    alter table phone_settings add column node text;
    alter table phone_settings add column last_seen_at integer;`,
  // Creates the table of the app library. The files themselves are in the data folder, named by id.
  '0008-apps': `
    create table apps (
      id text not null primary key, name text not null, size integer not null, sha256 text not null,
      created_at integer not null
    ) strict;`,
  // Creates the table of lab events, in the order they were written.
  '0009-event-log': `
    create table event_log (
      number integer not null primary key autoincrement, id text not null unique, at integer not null,
      type text not null, payload text not null
    ) strict;
    create index event_log_age on event_log (at);`,
  // Creates tables for webhooks and their waiting deliveries.
  '0010-webhooks': `
    create table webhooks (
      id text not null primary key, sealed text not null, host text not null, events text not null,
      created_at integer not null, created_by text, last_at integer, last_status integer, last_error text
    ) strict;
    create table webhook_deliveries (
      id text not null primary key, webhook_id text not null references webhooks (id) on delete cascade,
      event text not null, body text not null, created_at integer not null, failures integer not null,
      due_at integer not null
    ) strict;
    create index webhook_deliveries_due on webhook_deliveries (webhook_id, due_at);`,
  // Creates the table of a hub's nodes. It has no foreign key, because a node and its sessions outlive the account
  // that registered the node.
  '0011-nodes': `
    create table nodes (
      name text not null primary key, url text not null, base_path text not null, version text not null,
      owner_id text not null, registered_at integer not null, last_seen_at integer not null
    ) strict;`,
  // Adds the hash of the TLS key that a node presented first. The hub refuses the node if it presents another key.
  '0012-node-keys': `
    alter table nodes add column key_pin text;`,
  // Adds indexes that contain the columns which session lists are filtered by, so that sessions with a rare status
  // are found without reading all rows.
  '0014-session-lists': `
    create index driver_sessions_newest on driver_sessions (started_at, status, owner_id);
    create index driver_sessions_owned on driver_sessions (owner_id, started_at, status);
    create index driver_sessions_named on driver_sessions (name, started_at, status, owner_id);
    drop index driver_sessions_started;
    drop index driver_sessions_owner;`,
  // Adds the table `LocatorEtalon` for locators of found elements. Databases of release 2.13 and earlier have this
  // table. svc never writes to it.
  '0015-baseline': `
    create table LocatorEtalon (
      id text not null primary key, strategy text not null, selector text not null, created_at integer not null
    ) strict;`,
  // Renames `phone_settings` to `DeviceSetting` and keeps its rows (specification 9.2, release 2.14).
  '0016-2.14-device-setting': `
    alter table phone_settings rename to DeviceSetting;`,
  // Adds the column `path` to `LocatorEtalon`, a table that svc never writes to (specification 9.2, release 2.15).
  '0017-2.15-locator-etalon-path': `
    alter table LocatorEtalon add column path text;`,
};
