import type { AccountChange, NewAccount } from '@svc/auth-core';
import type { Role } from '@svc/contract';
import type { Connection } from '../connection/connection.ts';
import type { NoParams } from '../connection/statement.ts';
import type { AccountRow, TeamRow } from '../schema/rows/accounts.ts';

/**
 * Row of an account without its password hash and comparison key. `in_team` is 1 if the account is in a team, and 0 if
 * not. Another query reads the teams.
 */
export type AccountView = Omit<AccountRow, 'email_key' | 'password_hash'> & { in_team: number };

/** Parameter type in which `defaultPassword` is a number, because SQLite has no booleans. */
type Bound<T> = Omit<T, 'defaultPassword'> & { defaultPassword: number };
type Changeable = Omit<Bound<Required<AccountChange>>, 'passwordHash' | 'lastSignInAt'> & {
  // An account may have no password and no sign-in yet, so this column and the next one can be null.
  passwordHash: string | null;
  lastSignInAt: number | null;
};

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

const COLUMNS = [
  'id',
  'email',
  'name',
  'role',
  'status',
  'access_key',
  'created_at',
  'last_sign_in_at',
  'sign_in_epoch',
  'spared_sign_in',
  'temporary_password_until',
  'default_password',
] as const satisfies readonly (keyof AccountRow)[];

const SELECT = `
  select ${COLUMNS.join(', ')}, exists (select 1 from team_members where account_id = accounts.id) as in_team
  from accounts`;

export function accountStatements(connection: Connection) {
  return { ...lookUps(connection), ...lists(connection), ...changes(connection), ...removals(connection) };
}

function lookUps(connection: Connection) {
  return {
    byId: connection.prepare<{ id: string }, AccountView>(`${SELECT} where id = @id`),
    byAccessKey: connection.prepare<{ accessKey: string }, AccountView>(
      `${SELECT} where access_key = @accessKey`,
    ),
    idByEmail: connection.prepare<{ emailKey: string }, { id: string }>(
      'select id from accounts where email_key = @emailKey',
    ),
    passwordHash: connection.prepare<{ id: string }, Pick<AccountRow, 'password_hash'>>(
      'select password_hash from accounts where id = @id',
    ),
    teamsOf: connection.prepare<{ id: string }, TeamRow>(`
      select teams.id, teams.name
      from team_members join teams on teams.id = team_members.team_id
      where team_members.account_id = @id
      order by teams.name`),
  };
}

function lists(connection: Connection) {
  // Uses `instr` for the search, because `like` would read `%` and `_` as wildcards. SQLite's `lower` converts only A to
  // Z.
  const page = (after: '<' | '>', order: 'asc' | 'desc') =>
    connection.prepare<PageParams, AccountView>(`
      ${SELECT}
      where (role in (@role1, @role2, @role3) or id = @self)
        and (@search is null or instr(email_key, @searchKey) > 0 or instr(lower(name), lower(@search)) > 0)
        and (@teamId is null or id in (select account_id from team_members where team_id = @teamId))
        and (created_at, id) ${after} (@placeAt, @placeId)
      order by created_at ${order}, id ${order} limit @limit`);
  return {
    all: connection.prepare<NoParams, AccountView>(`${SELECT} order by created_at, id`),
    memberships: connection.prepare<NoParams, { accountId: string } & TeamRow>(`
      select team_members.account_id as accountId, teams.id, teams.name
      from team_members join teams on teams.id = team_members.team_id
      order by teams.name`),
    newest: page('<', 'desc'),
    oldest: page('>', 'asc'),
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

function changes(connection: Connection) {
  return {
    insert: connection.prepare<Bound<NewAccount> & { emailKey: string }, never>(`
      insert into accounts (
        id, email, email_key, name, role, status, access_key, password_hash,
        temporary_password_until, default_password, created_at
      ) values (
        @id, @email, @emailKey, @name, @role, @status, @accessKey, @passwordHash,
        @temporaryPasswordUntil, @defaultPassword, @createdAt
      )`),
    changeable: connection.prepare<{ id: string }, Changeable>(`
      select
        name, role, status, access_key as accessKey, password_hash as passwordHash,
        temporary_password_until as temporaryPasswordUntil, default_password as defaultPassword,
        last_sign_in_at as lastSignInAt, sign_in_epoch as signInEpoch,
        spared_sign_in as sparedSignIn
      from accounts where id = @id`),
    update: connection.prepare<Changeable & { id: string }, never>(`
      update accounts set
        name = @name, role = @role, status = @status, access_key = @accessKey, password_hash = @passwordHash,
        temporary_password_until = @temporaryPasswordUntil, default_password = @defaultPassword,
        last_sign_in_at = @lastSignInAt, sign_in_epoch = @signInEpoch,
        spared_sign_in = @sparedSignIn
      where id = @id`),
  };
}

function removals(connection: Connection) {
  return {
    remove: connection.prepare<{ id: string }, never>('delete from accounts where id = @id'),
    removeApiTokens: connection.prepare<{ id: string }, { id: string }>(
      'delete from api_tokens where owner_id = @id returning id',
    ),
    removeSignIns: connection.prepare<{ id: string }, { id: string }>(`
      delete from sign_ins
      where account_id = @id or api_token_id in (select id from api_tokens where owner_id = @id)
      returning id`),
  };
}
