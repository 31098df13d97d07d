import { expect, it } from 'vitest';
import type { Tables } from '../src/schema/tables.ts';
import { eachTestItsPlace } from './place.ts';

const place = eachTestItsPlace();

type Nullable<T> = null extends T ? 'null' : 'not null';

/**
 * Columns of the row types, and whether they are nullable. The compiler rejects a column that is missing, unknown or of
 * the wrong nullability.
 */
const COLUMNS: { [T in keyof Tables]: { [C in keyof Tables[T]]: Nullable<Tables[T][C]> } } = {
  accounts: {
    id: 'not null',
    email: 'not null',
    email_key: 'not null',
    name: 'not null',
    role: 'not null',
    status: 'not null',
    access_key: 'not null',
    password_hash: 'null',
    temporary_password_until: 'null',
    default_password: 'not null',
    created_at: 'not null',
    last_sign_in_at: 'null',
    sign_in_epoch: 'not null',
    spared_sign_in: 'null',
  },
  teams: {
    id: 'not null',
    name: 'not null',
  },
  team_members: {
    account_id: 'not null',
    team_id: 'not null',
  },
  api_tokens: {
    id: 'not null',
    owner_id: 'not null',
    hash: 'not null',
    kind: 'not null',
    name: 'not null',
    scopes: 'not null',
    rate_limit: 'not null',
    team_id: 'null',
    created_at: 'not null',
    expires_at: 'null',
    last_used_at: 'null',
    next_notice_at: 'null',
    rule_id: 'null',
    rule_subject: 'null',
    rule_run: 'null',
    is_scim: 'not null',
  },
  sign_ins: {
    id: 'not null',
    account_id: 'not null',
    hash: 'not null',
    created_at: 'not null',
    last_seen_at: 'not null',
    expires_at: 'not null',
    user_agent: 'null',
    scopes: 'null',
    until: 'null',
    api_token_id: 'null',
    team_id: 'null',
    proven_at: 'null',
    rule_id: 'null',
    rule_subject: 'null',
    rule_run: 'null',
  },
  trust_rules: {
    id: 'not null',
    owner_id: 'not null',
    parent_id: 'null',
    name: 'not null',
    issuer: 'not null',
    audience: 'null',
    jwks: 'null',
    claims: 'not null',
    scopes: 'not null',
    team_id: 'null',
    max_minutes: 'not null',
    paused: 'not null',
    created_at: 'not null',
    last_used_at: 'null',
    expires_at: 'null',
    runs: 'not null',
  },
  reset_links: {
    id: 'not null',
    account_id: 'not null',
    hash: 'not null',
    created_at: 'not null',
    expires_at: 'not null',
  },
  audit: {
    number: 'not null',
    id: 'not null',
    at: 'not null',
    event: 'not null',
    outcome: 'not null',
    actor: 'null',
    target: 'null',
    address: 'null',
    peer: 'null',
    request_id: 'null',
    reason: 'null',
    hash: 'not null',
    previous_hash: 'not null',
  },
  audit_marks: {
    name: 'not null',
    number: 'not null',
    hash: 'not null',
    seal: 'not null',
  },
  spent: {
    id: 'not null',
    expires_at: 'not null',
  },
  settings: {
    key: 'not null',
    value: 'not null',
  },
  driver_sessions: {
    id: 'not null',
    name: 'null',
    status: 'not null',
    owner_id: 'null',
    device: 'null',
    node: 'null',
    started_at: 'not null',
    ended_at: 'null',
    failure_category: 'null',
    failure_reason: 'null',
    tags: 'not null',
    healing_tiers: 'null',
    capabilities: 'not null',
    started_by: 'null',
  },
  command_log: {
    session_id: 'not null',
    seq: 'not null',
    rows: 'not null',
    bytes: 'not null',
    last_at: 'not null',
    entries: 'not null',
  },
  apps: {
    id: 'not null',
    name: 'not null',
    size: 'not null',
    sha256: 'not null',
    created_at: 'not null',
  },
  event_log: {
    number: 'not null',
    id: 'not null',
    at: 'not null',
    type: 'not null',
    payload: 'not null',
  },
  nodes: {
    name: 'not null',
    url: 'not null',
    base_path: 'not null',
    version: 'not null',
    owner_id: 'not null',
    registered_at: 'not null',
    last_seen_at: 'not null',
    key_pin: 'null',
  },
  DeviceSetting: {
    udid: 'not null',
    name: 'not null',
    platform: 'not null',
    os_version: 'not null',
    team_id: 'null',
    tags: 'not null',
    node: 'null',
    last_seen_at: 'null',
  },
  LocatorEtalon: {
    id: 'not null',
    strategy: 'not null',
    selector: 'not null',
    created_at: 'not null',
    path: 'null',
  },
  directory_users: {
    account_id: 'not null',
    external_id: 'null',
    is_deleted: 'not null',
  },
  leases: {
    id: 'not null',
    udid: 'not null',
    owner_id: 'not null',
    hash: 'not null',
    created_at: 'not null',
    expires_at: 'not null',
  },
  webhooks: {
    id: 'not null',
    sealed: 'not null',
    host: 'not null',
    events: 'not null',
    created_at: 'not null',
    created_by: 'null',
    last_at: 'null',
    last_status: 'null',
    last_error: 'null',
  },
  webhook_deliveries: {
    id: 'not null',
    webhook_id: 'not null',
    event: 'not null',
    body: 'not null',
    created_at: 'not null',
    failures: 'not null',
    due_at: 'not null',
  },
};

it('(specification 9.1.6) the tables have exactly the columns of their row types', async () => {
  (await place().open()).close();
  const columns = place()
    .raw()
    .prepare<[string], [string, string]>(
      `select name, case when "notnull" or pk then 'not null' else 'null' end from pragma_table_info(?)`,
    )
    .raw();
  const found = Object.keys(COLUMNS).map((table) => [table, Object.fromEntries(columns.all(table))]);
  expect(Object.fromEntries(found)).toEqual(COLUMNS);
});
