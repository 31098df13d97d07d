// Creates a database with the tables of a release and with rows in every table:
//   node scripts/release-database.mjs <release> <file> [--accounts <n>] [--tokens <n>]
// The table below lists the migrations of each release (docs/operations.md, Upgrade).
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { migrate } from '../packages/store-sqlite/dist/schema/migration-history.js';
import { MIGRATIONS } from '../packages/store-sqlite/dist/schema/migrations/index.js';

const BASELINE = '0015-baseline';
const DEVICE_SETTING = '0016-2.14-device-setting';
const LOCATOR_PATH = '0017-2.15-locator-etalon-path';

/** Time of the rows: one minute ago, so that no row is old enough to be removed at a start. */
const START = Date.now() - 60_000;

const RELEASES = {
  // Releases before 2.0 stored no history of migrations. Release 2.0 added one column.
  '1.x': { through: BASELINE, history: false, spoil: ['alter table sign_ins drop column team_id'] },
  // This release changed its tables without migrations, so its tables do not match the stored history.
  2.12: {
    through: BASELINE,
    spoil: ["delete from kysely_migration where name > '0011'", 'drop index sign_ins_expiry'],
  },
  2.13: { through: BASELINE },
  2.14: { through: DEVICE_SETTING },
  2.15: { through: LOCATOR_PATH },
  // This release rewrote the history at every start, and left behind the copies on which it tried upgrades.
  2.16: {
    through: LOCATOR_PATH,
    spoil: ["update kysely_migration set timestamp = '2026-01-01T00:00:00.000Z'"],
    copies: true,
  },
  2.17: { through: LOCATOR_PATH },
  current: { through: Object.keys(MIGRATIONS).sort().at(-1) },
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { accounts: { type: 'string', default: '3' }, tokens: { type: 'string', default: '5' } },
});
const [name, file] = positionals;
const release = RELEASES[name];
if (release === undefined || file === undefined) {
  process.stderr.write(
    `usage: node scripts/release-database.mjs <${Object.keys(RELEASES).join('|')}> <file>\n`,
  );
  process.exit(2);
}

const { default: Database } = await import(
  createRequire(new URL('../packages/store-sqlite/package.json', import.meta.url)).resolve('better-sqlite3')
);
const database = new Database(file);
database.exec('pragma journal_mode = wal');
const past = Object.entries(MIGRATIONS).filter(([each]) => each <= release.through);
await migrate(database, Object.fromEntries(past));
if (release.history === false) database.exec('drop table kysely_migration; drop table kysely_migration_lock');
fill(database, { accounts: Number(values.accounts), tokens: Number(values.tokens) });
for (const statement of release.spoil ?? []) database.exec(statement);
if (release.copies) for (const nth of [1, 2]) await database.backup(`${file}.xenon-trial-${nth}`);
database.close();

/** Inserts rows by fixed rules, so that two databases of one release differ only in their times. */
function fill(database, { accounts, tokens }) {
  const has = (table) =>
    database.prepare('select 1 from sqlite_schema where name = ?').get(table) !== undefined;
  const devices = has('DeviceSetting') ? 'DeviceSetting' : 'phone_settings';
  const path = past.some(([each]) => each === LOCATOR_PATH);
  const numbers = (count) =>
    `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})`;
  database.exec(`
    begin;
    ${numbers(accounts)} insert into accounts
      (id, email, email_key, name, role, status, access_key, password_hash, created_at)
      select 'account-' || n, 'User' || n || '@lab.test', 'user' || n || '@lab.test', 'User ' || n,
        case n when 1 then 'Super admin' when 2 then 'Admin' else 'Member' end, 'Active',
        'svc_' || printf('%024d', n), '$2b$10$' || hex(n), ${START} + n from numbers;
    insert into teams (id, name) values ('team-1', 'Lab'), ('team-2', 'Füße');
    ${numbers(accounts)} insert into team_members (account_id, team_id)
      select 'account-' || n, 'team-' || (1 + n % 2) from numbers;
    ${numbers(tokens)} insert into api_tokens
      (id, owner_id, hash, kind, name, scopes, rate_limit, team_id, created_at)
      select 'token-' || n, 'account-' || (1 + n % ${accounts}), printf('%064x', n),
        case n % 2 when 0 then 'profile' else 'api-key' end, 'ci ' || n, 'read sessions', 300,
        case n % 2 when 0 then null else 'team-1' end, ${START} + n from numbers;
    ${numbers(accounts)} insert into sign_ins
      (id, account_id, hash, created_at, last_seen_at, expires_at, user_agent)
      select 'sign-in-' || n, 'account-' || n, printf('%064x', n), ${START}, ${START},
        4000000000000, 'Browser ' || n from numbers;
    insert into reset_links (id, account_id, hash, created_at, expires_at)
      values ('link-1', 'account-1', printf('%064x', 1), ${START}, 4000000000000);
    ${numbers(accounts)} insert into audit (id, at, event, outcome, actor, hash, previous_hash)
      select 'row-' || n, ${START} + n, 'authn_login_success', 'success', 'account-' || n,
        printf('%064x', n), printf('%064x', n - 1) from numbers;
    insert into spent (id, expires_at) values ('ticket-1', 4000000000000);
    insert into settings (key, value) values ('maxSessions', '7');
    insert into driver_sessions (id, name, status, owner_id, started_at, ended_at, tags, healing_tiers, capabilities)
      values ('session-1', 'a run', 'passed', 'account-1', ${START}, ${START + 1000}, '["a"]', '[1,2]', '{}');
    insert into command_log (session_id, seq, rows, bytes, last_at, entries)
      values ('session-1', 1, 1, 2, ${START + 500}, '[]');
    insert into "${devices}" (udid, name, platform, os_version, team_id, tags, node, last_seen_at)
      values ('phone-1', 'Phone 1', 'Android', '14', 'team-1', '["lab"]', null, 4000000000000),
        ('phone-2', 'Phone 2', 'iOS', '17', null, '[]', null, 4000000000000);
    insert into leases (id, udid, owner_id, hash, created_at, expires_at)
      values ('lease-1', 'phone-1', 'account-1', printf('%064x', 1), ${START}, 4000000000000);
    insert into event_log (id, at, type, payload) values ('event-1', ${START}, 'device_connected', '{}');
    insert into webhooks (id, sealed, host, events, created_at)
      values ('webhook-1', 'sealed', 'hooks.test', '["session_failed"]', ${START});
    insert into webhook_deliveries (id, webhook_id, event, body, created_at, failures, due_at)
      values ('delivery-1', 'webhook-1', 'session_failed', '{}', ${START}, 0, 4000000000000);
    insert into nodes (name, url, base_path, version, owner_id, registered_at, last_seen_at)
      values ('node-1', 'http://node.test', '', '2.0.0', 'account-1', ${START}, ${START});
    insert into "LocatorEtalon" (id, strategy, selector, created_at${path ? ', path' : ''})
      values ('locator-1', 'xpath', '//a', ${START}${path ? ", '/a'" : ''});
    commit;
  `);
}
