import { expect, it, vi } from 'vitest';
import { Connection } from '../src/connection/connection.ts';
import * as accounts from '../src/stores/accounts.ts';
import * as apiTokens from '../src/stores/api-tokens.ts';
import * as apps from '../src/stores/apps.ts';
import * as attach from '../src/stores/attach.ts';
import * as auditStatements from '../src/stores/audit-statements.ts';
import * as care from '../src/stores/care.ts';
import * as cleaning from '../src/stores/cleaning.ts';
import * as commandLog from '../src/stores/command-log.ts';
import * as deviceSettings from '../src/stores/device-settings.ts';
import * as directoryUsers from '../src/stores/directory-users.ts';
import * as driverSessions from '../src/stores/driver-sessions.ts';
import * as eventLog from '../src/stores/event-log.ts';
import * as health from '../src/stores/health.ts';
import * as identities from '../src/stores/identities.ts';
import * as leases from '../src/stores/leases.ts';
import * as nodes from '../src/stores/nodes.ts';
import * as passkeys from '../src/stores/passkeys.ts';
import * as phoneUse from '../src/stores/phone-use.ts';
import * as replayStore from '../src/stores/replay-store.ts';
import * as resetLinks from '../src/stores/reset-links.ts';
import * as revokedTokens from '../src/stores/revoked-tokens.ts';
import * as settings from '../src/stores/settings.ts';
import * as shares from '../src/stores/shares.ts';
import * as signIns from '../src/stores/sign-ins.ts';
import { columnName, type Table } from '../src/stores/table.ts';
import * as teams from '../src/stores/teams.ts';
import * as trustRules from '../src/stores/trust-rules.ts';
import * as webhooks from '../src/stores/webhooks.ts';
import { eachTestItsPlace } from './place.ts';

const place = eachTestItsPlace();
const STORES: readonly object[] = [
  accounts,
  apiTokens,
  apps,
  attach,
  auditStatements,
  care,
  cleaning,
  commandLog,
  deviceSettings,
  directoryUsers,
  driverSessions,
  eventLog,
  health,
  identities,
  leases,
  nodes,
  passkeys,
  phoneUse,
  replayStore,
  resetLinks,
  revokedTokens,
  settings,
  shares,
  signIns,
  teams,
  trustRules,
  webhooks,
];

/** Columns that no field has, because only SQL reads them. No store reads the table `LocatorEtalon`. */
const ONLY_IN_SQL: Record<string, Record<string, string>> = {
  event_log: { number: 'not null' },
  provider_sign_ins: { ended_at: 'null' },
  LocatorEtalon: {
    id: 'not null',
    strategy: 'not null',
    selector: 'not null',
    created_at: 'not null',
    path: 'null',
  },
};

function isTable(value: unknown): value is Table<object> {
  return typeof value === 'object' && value !== null && 'columns' in value && 'name' in value;
}

/** @returns the columns of each table's list, and whether they are nullable */
function listed(): Record<string, Record<string, string>> {
  const tables = STORES.flatMap((store) => Object.values(store)).filter(isTable);
  const columnsOf = ({ columns }: Table<object>) =>
    Object.entries(columns as Record<string, { isNullable: boolean }>).map(([field, { isNullable }]) => [
      columnName(field),
      isNullable ? 'null' : 'not null',
    ]);
  return Object.fromEntries(tables.map((table) => [table.name, Object.fromEntries(columnsOf(table))]));
}

it('the tables have exactly the columns of the lists from which the stores derive (specification 9.1.6)', async () => {
  (await place().open()).close();
  const database = place().raw();
  const names = database
    .prepare<[], string>(
      "select name from sqlite_schema where type = 'table' and name not like 'kysely%' and name not like 'sqlite%'",
    )
    .pluck()
    .all();
  const columns = database
    .prepare<[string], [string, string]>(
      `select name, case when "notnull" or pk then 'not null' else 'null' end from pragma_table_info(?)`,
    )
    .raw();
  const found = Object.fromEntries(names.map((table) => [table, Object.fromEntries(columns.all(table))]));
  const wanted = listed();
  for (const [table, more] of Object.entries(ONLY_IN_SQL)) wanted[table] = { ...wanted[table], ...more };
  expect(found).toEqual(wanted);
});

it('all statements of the stores fit the tables (specification 9.1.6)', async () => {
  const prepare = vi.spyOn(Connection.prototype, 'prepare');
  (await place().open()).close();
  const statements = prepare.mock.calls.map(([sql]) => sql);
  prepare.mockRestore();
  expect(statements.length).toBeGreaterThan(100);
  const database = place().raw();
  for (const sql of statements) expect(() => database.prepare(sql), sql).not.toThrow();
});
