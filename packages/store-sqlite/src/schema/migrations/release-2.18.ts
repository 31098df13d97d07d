/** SQL of the migrations of release 2.18. */
export const RELEASE_2_18 = {
  // Adds the table of revoked tokens, and to a sign-in the credentials with which it was opened. Revoking a token can
  // also revoke the tokens that were minted from it. Its row is removed when all of these have expired (contract 10).
  '0018-2.18-revoked-tokens': `
    create table revoked_tokens (
      id text not null primary key, account_id text not null, cascades integer not null, expires_at integer not null
    ) without rowid, strict;
    create index revoked_tokens_expiry on revoked_tokens (expires_at);
    create index revoked_tokens_account on revoked_tokens (account_id);
    alter table sign_ins add column opened_with text;`,
  // Adds passkeys, of which the server has only public keys, and the user handles that authenticators store instead
  // of an id or e-mail address (contract 10).
  '0019-2.18-passkeys': `
    create table passkeys (
      id text not null primary key, account_id text not null references accounts (id) on delete cascade,
      credential_id text not null unique, public_key text not null, counter integer not null,
      transports text not null, aaguid text not null,
      device_type text not null check (device_type in ('singleDevice', 'multiDevice')), backed_up integer not null,
      name text not null, rp_id text not null, created_at integer not null, last_used_at integer
    ) strict;
    create index passkeys_account on passkeys (account_id);
    create table passkey_users (
      account_id text not null primary key references accounts (id) on delete cascade, handle text not null unique
    ) strict;`,
  // Adds a table of the OpenID Connect provider's users and a table of the sign-ins through the provider. A row of
  // the second table is kept after its sign-in has ended. Tokens that were minted from the sign-in may still be valid
  // then, and a logout at the provider must end them.
  '0020-2.18-identities': `
    create table identities (
      id text not null primary key, account_id text not null references accounts (id) on delete cascade,
      issuer text not null, subject text not null, created_at integer not null, last_sign_in_at integer,
      constraint identities_person unique (issuer, subject)
    ) strict;
    create index identities_account on identities (account_id);
    create table provider_sign_ins (
      sign_in_id text not null primary key, account_id text not null references accounts (id) on delete cascade,
      issuer text not null, subject text not null, sid text, ended_at integer
    ) strict;
    create index provider_sign_ins_person on provider_sign_ins (issuer, subject);
    create index provider_sign_ins_session on provider_sign_ins (issuer, sid);
    create index provider_sign_ins_account on provider_sign_ins (account_id);
    create index provider_sign_ins_end on provider_sign_ins (ended_at);`,
  // Adds the table of trust rules, which let CI jobs sign in with the tokens of their issuer. Adds columns for the
  // rule through which a key or sign-in was created, and for the CI run that created a driver session (contract
  // 10.3).
  '0021-2.18-trust-rules': `
    create table trust_rules (
      id text not null primary key, owner_id text not null references accounts (id) on delete cascade,
      parent_id text references trust_rules (id) on delete cascade, name text not null, issuer text not null,
      audience text, jwks text, claims text not null, scopes text not null, team_id text,
      max_minutes integer not null, paused integer not null, created_at integer not null, last_used_at integer,
      expires_at integer, runs text not null
    ) strict;
    create index trust_rules_owner on trust_rules (owner_id);
    alter table api_tokens add column rule_id text references trust_rules (id) on delete cascade;
    alter table api_tokens add column rule_subject text;
    alter table api_tokens add column rule_run text;
    create index api_tokens_rule on api_tokens (rule_id);
    alter table sign_ins add column rule_id text references trust_rules (id) on delete cascade;
    alter table sign_ins add column rule_subject text;
    alter table sign_ins add column rule_run text;
    create index sign_ins_rule on sign_ins (rule_id);
    alter table driver_sessions add column started_by text;`,
  // Adds the time at which the owner gets the next message that a key or token expires soon. The time is null in rows
  // of earlier versions. For these rows the server uses the expiry, so the index contains the expiry too.
  '0022-2.18-token-notices': `
    alter table api_tokens add column next_notice_at integer;
    create index api_tokens_notice on api_tokens (next_notice_at, expires_at);`,
  // Adds to a driver session the id and the expiry of the `svc-mcp` token that created it. The session ends with this
  // token and counts towards its limits. Adds to an audit row the protocol of the request that caused it (contract
  // 12).
  '0024-2.18-token-limits': `
    alter table audit add column via text;
    alter table driver_sessions add column agent_id text;
    alter table driver_sessions add column agent_until integer;
    create index driver_sessions_of_agents on driver_sessions (agent_id, started_at) where agent_id is not null;`,
  // Adds to sign-ins the time at which the person last authenticated. It is null in older rows, because it is unknown
  // whether a person or a key opened these sign-ins. For sensitive actions, the person must therefore authenticate
  // again (contract 10).
  '0025-2.18-fresh-sign-ins': `
    alter table sign_ins add column proven_at integer;`,
  // Adds the data for SCIM: which API keys are keys of an identity provider, and the data that a provider sent about
  // an account. `is_scim` is a separate column and not a new value of the column `kind`, because SQLite cannot change
  // the `check` constraint that lists the values of `kind`.
  '0026-2.18-scim': `
    alter table api_tokens add column is_scim integer default 0 not null;
    create table directory_users (
      account_id text not null primary key references accounts (id) on delete cascade, external_id text,
      is_deleted integer not null
    ) strict;
    create index directory_users_external on directory_users (external_id);`,
  // Adds to a driver session the maximum number of minutes that its `svc-mcp` token allows (contract 12). The server
  // needs the number after a restart, to end in time a session that continued on a node.
  '0027-2.18-agent-minutes': `
    alter table driver_sessions add column agent_minutes integer;`,
  // Adds to webhooks their format, their filters and whether they are paused, and to deliveries their results.
  '0029-2.18-webhook-deliveries': `
    alter table webhooks add column format text default 'svc' not null;
    alter table webhooks add column team_id text;
    alter table webhooks add column tag text;
    alter table webhooks add column is_paused integer default 0 not null;
    alter table webhook_deliveries add column tried_at integer;
    alter table webhook_deliveries add column status integer;
    alter table webhook_deliveries add column error text;
    alter table webhook_deliveries add column is_finished integer default 0 not null;`,
  // Creates the table that stores how long each phone was used, as a total for each hour. The hour comes first in the
  // primary key, because rows are read and removed by ranges of hours.
  '0030-2.18-phone-use': `
    create table phone_use (
      hour integer not null, udid text not null, team_id text not null, present_ms integer not null,
      busy_ms integer not null, leased_ms integer not null, waited_ms integer not null,
      constraint phone_use_pk primary key (hour, udid, team_id)
    ) without rowid, strict;`,
  // Adds the account that uploaded each app. It is null for apps of earlier versions. The column is not a foreign
  // key, because an app stays when its uploader is deleted.
  '0033-2.18-app-uploaders': `
    alter table apps add column uploaded_by text;`,
  // Adds to each record of a revoked token the key or sign-in from which the token was minted. The record is removed
  // when the key is revoked together with the tokens minted from it (contract 4).
  '0034-2.18-revoked-sources': `
    alter table revoked_tokens add column source_id text;`,
  // Adds to a lease the agent that created it, as JSON, with the credential that it used. The lease ends when this
  // credential is no longer valid (contract 4). It is null for leases that no agent created.
  '0035-2.18-lease-agents': `
    alter table leases add column agent text;`,
  // Adds whether the identity provider made an account Inactive and no one changed its status by hand since (contract
  // 10.5). It is null for accounts of earlier versions, which did not store it.
  '0036-2.18-deactivated-users': `
    alter table directory_users add column is_deactivated integer;`,
  // Creates the table of attach addresses, at which clients without credentials send commands to one session. The
  // session is not a foreign key, because the rows of a session may be removed while an address is being ended.
  // `maker` is the stored caller as JSON and contains no secret.
  '0049-2.18-attach': `
    create table attach_addresses (
      id text not null primary key, session_id text not null, hash text not null unique,
      account_id text not null references accounts (id) on delete cascade, maker text not null,
      created_at integer not null, expires_at integer not null, last_used_at integer, last_address text,
      last_agent text
    ) strict;
    create index attach_addresses_account on attach_addresses (account_id);`,
  // Creates the table of the phones that are out of service (contract 17.1).
  '0052-2.18-out-of-service': `
    create table out_of_service (
      udid text not null primary key, reason text not null, by_id text, since integer not null, until integer
    ) without rowid, strict;`,
  // Creates the table of the phones that are cleaned after their present holder (contract 17.3). A row is stored
  // before the phone is given out, so that a phone is cleaned even if the server was killed.
  '0055-2.18-phone-cleaning': `
    create table phone_cleaning (
      udid text not null primary key, holder_id text, mode text not null, since integer not null, before text,
      sessions text not null, is_kept integer not null
    ) strict;`,
  // Adds to a driver session what the cleaning of its phone removed (contract 17.3).
  '0056-2.18-session-clean': `
    alter table driver_sessions add column clean text;`,
  // Adds the indexes with which long lists of accounts, keys and tokens are read in steps, in the order of creation.
  '0057-2.18-lists-by-creation': `
    create index accounts_created on accounts (created_at, id);
    create index api_tokens_created on api_tokens (created_at, id);`,
  // Creates the table of the time for which agents held leased phones, which counts towards their minutes (contract
  // 12).
  '0058-2.18-agent-lease-times': `
    create table agent_lease_times (
      agent_id text not null primary key, day integer not null, ms integer not null
    ) strict;`,
  // Creates the table of the accounts that signed up through the OpenID provider with an e-mail address of which the
  // provider did not say that it belongs to the person. They get no reset links by mail.
  '0059-2.18-unconfirmed-emails': `
    create table unconfirmed_emails (
      account_id text not null primary key references accounts (id) on delete cascade
    ) strict;`,
  // Adds to a phone the name and the note that an Admin gave it (contract 17.1).
  '0073-2.18-device-names': `
    alter table DeviceSetting add column given_name text;
    alter table DeviceSetting add column note text;`,
  // Creates the tables of what probes read from phones and of how their sessions went (contract 17.2).
  '0074-2.18-phone-health': `
    create table phone_health (
      udid text not null, at integer not null, battery real, temperature real, storage_free integer,
      constraint phone_health_pk primary key (udid, at)
    ) without rowid, strict;
    create table phone_days (
      udid text not null, day integer not null, ended integer not null, failed integer not null,
      refused integer not null, constraint phone_days_pk primary key (udid, day)
    ) without rowid, strict;
    create index phone_days_age on phone_days (day);
    create index phone_health_age on phone_health (at);`,
  // Creates the tables of the shares of the lab: what teams and accounts may use, what accounts used on each day,
  // what phones were used in each month, and how much waiting one more phone of a kind would have saved.
  '0075-2.18-shares': `
    create table share_limits (
      account_id text unique references accounts (id) on delete cascade,
      team_id text unique references teams (id) on delete cascade, sessions integer, leases integer,
      minutes integer, constraint share_limits_subject check ((account_id is null) <> (team_id is null))
    ) strict;
    create table account_days (
      day integer not null, account_id text not null references accounts (id) on delete cascade,
      session_ms integer not null, lease_ms integer not null,
      constraint account_days_pk primary key (day, account_id)
    ) without rowid, strict;
    create index account_days_account on account_days (account_id);
    create table phone_months (
      month integer not null, udid text not null, team_id text not null, present_ms integer not null,
      busy_ms integer not null, leased_ms integer not null, waited_ms integer not null,
      constraint phone_months_pk primary key (month, udid, team_id)
    ) without rowid, strict;
    create table kind_months (
      month integer not null, kind text not null, saved_ms integer not null,
      constraint kind_months_pk primary key (month, kind)
    ) without rowid, strict;`,
  // Adds to a driver session the address of the CI run that created it (contract 10.3).
  '0076-2.18-session-run-links': `
    alter table driver_sessions add column started_by_url text;`,
  // Adds the indexes with which ended sessions are listed by their duration, of all accounts and of one.
  '0077-2.18-session-durations': `
    create index driver_sessions_lasted on driver_sessions ((ended_at - started_at), started_at, status, owner_id)
      where ended_at is not null;
    create index driver_sessions_owner_lasted on driver_sessions (owner_id, (ended_at - started_at), started_at, status)
      where ended_at is not null;`,
};
