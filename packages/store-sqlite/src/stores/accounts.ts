import type { Account, AccountStore, NewAccount, Team } from '@svc/auth-core';
import { emailKey, type Role } from '@svc/contract';
import type { Caches } from '../cache/caches.ts';
import type { Connection } from '../connection/connection.ts';
import type { NoParams } from '../connection/statement.ts';
import { flag, nullable, Rows, required, type Table } from './table.ts';

/** `emailKey` is the form of the e-mail address that is compared. */
type StoredAccount = Omit<Account, 'teams'> &
  Pick<NewAccount, 'passwordHash'> & { readonly emailKey: string };

/** An access key is stored in plain text, because it alone is no secret (contract 4). */
export const ACCOUNTS: Table<StoredAccount> = {
  name: 'accounts',
  columns: {
    id: required,
    email: required,
    emailKey: required,
    name: required,
    role: required,
    status: required,
    accessKey: required,
    passwordHash: nullable,
    temporaryPasswordUntil: nullable,
    defaultPassword: flag,
    createdAt: required,
    lastSignInAt: nullable,
    signInEpoch: required,
    sparedSignIn: nullable,
  },
};

/** An account without its hash. `inTeam` is 1 if it is in a team, and 0 if not. Another query reads the teams. */
type AccountView = Omit<Account, 'teams'> & { readonly inTeam: number };

interface PageParams {
  role1: string | null;
  role2: string | null;
  role3: string | null;
  self: string;
  search: string | null;
  searchKey: string | null;
  teamId: string | null;
  /** Creation time and id of the account after which the page begins. */
  placeAt: number;
  placeId: string;
  limit: number;
}

function statements(connection: Connection) {
  return { ...reading(connection), ...writing(connection) };
}

function reading(connection: Connection) {
  const { emailKey: _, passwordHash: __, ...columns } = ACCOUNTS.columns;
  const columnsOfView = { ...columns, inTeam: required };
  const accounts = new Rows<AccountView>(connection, { name: 'accounts', columns: columnsOfView });
  const select = accounts.select.replace(
    '"accounts"."in_team"',
    'exists (select 1 from team_members where account_id = accounts.id)',
  );
  const all = <P>(rest: string) => accounts.query<P>(`${select} ${rest}`);
  const one = <P extends object>(rest: string) => accounts.queryOne<P>(`${select} ${rest}`);
  // Uses `instr` for the search, because `like` would read `%` and `_` as wildcards. SQLite's `lower` converts only A to
  // Z.
  const page = (after: '<' | '>', order: 'asc' | 'desc') =>
    all<PageParams>(`
      where (role in (@role1, @role2, @role3) or id = @self)
        and (@search is null or instr(email_key, @searchKey) > 0 or instr(lower(name), lower(@search)) > 0)
        and (@teamId is null or id in (select account_id from team_members where team_id = @teamId))
        and (created_at, id) ${after} (@placeAt, @placeId)
      order by created_at ${order}, id ${order} limit @limit`);
  return {
    byId: one<{ id: string }>('where id = @id'),
    byAccessKey: one<{ accessKey: string }>('where access_key = @accessKey'),
    all: all<NoParams>('order by created_at, id'),
    newest: page('<', 'desc'),
    oldest: page('>', 'asc'),
    idByEmail: connection.prepare<{ emailKey: string }, { id: string }>(
      'select id from accounts where email_key = @emailKey',
    ),
    teamsOf: connection.prepare<{ id: string }, Team>(`
      select teams.id, teams.name
      from team_members join teams on teams.id = team_members.team_id
      where team_members.account_id = @id
      order by teams.name`),
    memberships: connection.prepare<NoParams, { accountId: string } & Team>(`
      select team_members.account_id as accountId, teams.id, teams.name
      from team_members join teams on teams.id = team_members.team_id
      order by teams.name`),
    anyone: connection.prepare<NoParams, { id: string }>('select id from accounts limit 1'),
    defaultPassword: connection.prepare<NoParams, { id: string }>(
      `select id from accounts where default_password = 1 and status = 'Active' limit 1`,
    ),
    countActive: connection.prepare<{ role: Role }, { count: number }>(
      `select count(*) as count from accounts where role = @role and status = 'Active'`,
    ),
    oldestActive: connection.prepare<{ role: Role }, { id: string }>(
      `select id from accounts where role = @role and status = 'Active' order by created_at, id limit 1`,
    ),
  };
}

function writing(connection: Connection) {
  const { id: _, email: __, emailKey: ___, createdAt: ____, ...changeable } = ACCOUNTS.columns;
  const accounts = new Rows(connection, ACCOUNTS);
  return {
    stored: accounts.first(),
    insert: accounts.insert(),
    update: accounts.update(...(Object.keys(changeable) as (keyof typeof changeable)[])),
    remove: accounts.remove(),
    removeApiTokens: connection.prepare<{ id: string }, { id: string }>(
      'delete from api_tokens where owner_id = @id returning id',
    ),
    removeSignIns: connection.prepare<{ id: string }, { id: string }>(`
      delete from sign_ins
      where account_id = @id or api_token_id in (select id from api_tokens where owner_id = @id)
      returning id`),
  };
}

export function accountRows(connection: Connection, caches: Caches): AccountStore {
  const sql = statements(connection);
  const teamsOf = ({ id, inTeam }: AccountView) => (inTeam === 0 ? NO_TEAMS : sql.teamsOf.all({ id }));
  const remember = (row: AccountView | undefined): Account | undefined => {
    if (row === undefined) return undefined;
    const account = accountOf(row, teamsOf(row));
    caches.accounts.add(account.accessKey, account);
    return account;
  };
  const byId = (id: string): Account | undefined => {
    connection.checkForOtherWriters();
    return caches.accounts.byId(id) ?? remember(sql.byId({ id }));
  };
  const found = (row: { id: string } | undefined) => row && byId(row.id);
  return {
    byId,
    byAccessKey: (accessKey) => {
      connection.checkForOtherWriters();
      return caches.accounts.byKey(accessKey) ?? remember(sql.byAccessKey({ accessKey }));
    },
    byEmail: (email) => found(sql.idByEmail.get({ emailKey: emailKey(email) })),
    passwordHash: (id) => sql.stored({ id })?.passwordHash ?? null,
    insert: (account) => {
      const unused = { lastSignInAt: null, signInEpoch: 0, sparedSignIn: null };
      sql.insert({ ...account, ...unused, emailKey: emailKey(account.email) });
    },
    update: (id, change) => {
      const current = sql.stored({ id });
      if (current === undefined) return;
      sql.update({ ...current, ...change });
      caches.accounts.drop(id);
    },
    remove: (id) => {
      for (const signIn of sql.removeSignIns.all({ id })) caches.dropSignIn(signIn.id);
      for (const token of sql.removeApiTokens.all({ id })) caches.dropApiToken(token.id);
      // Foreign keys delete the reset links, team memberships and trust rules of the account.
      sql.remove({ id });
      caches.accounts.drop(id);
      caches.dropTrustRules();
    },
    list: () => {
      const teams = new Map<string, Team[]>();
      for (const { accountId, ...team } of sql.memberships.all({})) {
        teams.set(accountId, [...(teams.get(accountId) ?? []), team]);
      }
      return sql.all({}).map((row) => accountOf(row, teams.get(row.id) ?? NO_TEAMS));
    },
    page: ({ visible, search = null, teamId = null, order, before, limit }) => {
      const [role1 = null, role2 = null, role3 = null] = visible.roles;
      const [page, start] = order === undefined ? [sql.newest, Number.MAX_SAFE_INTEGER] : [sql.oldest, -1];
      const place = { placeAt: before?.createdAt ?? start, placeId: before?.id ?? '' };
      const searched = { search, searchKey: search && emailKey(search), teamId };
      const rows = page({ role1, role2, role3, self: visible.self, ...searched, ...place, limit });
      return rows.map((row) => accountOf(row, teamsOf(row)));
    },
    hasDefaultPassword: () => sql.defaultPassword.get({}) !== undefined,
    isEmpty: () => sql.anyone.get({}) === undefined,
    countActive: (role) => sql.countActive.get({ role })?.count ?? 0,
    oldestActive: (role) => found(sql.oldestActive.get({ role })),
  };
}

/** Frozen empty list that all accounts without a team share. */
const NO_TEAMS: readonly Team[] = Object.freeze([]);

/**
 * Converts a row to an account. The account is frozen, because all requests of the account share it; an update creates
 * a new object.
 */
function accountOf({ inTeam: _, ...account }: AccountView, teams: readonly Team[]): Account {
  const frozen = teams === NO_TEAMS ? teams : teams.map(({ id, name }) => Object.freeze({ id, name }));
  return Object.freeze({ ...account, teams: Object.freeze(frozen) });
}
