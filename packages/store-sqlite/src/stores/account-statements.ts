import type { AccountChange, NewAccount } from '@svc/auth-core';
import type { Role } from '@svc/contract';
import { type Selectable, sql } from 'kysely';
import type { Params, Prepare } from '../connection/statements.ts';
import type { AccountsTable } from '../schema/tables.ts';

export type AccountRow = Omit<Selectable<AccountsTable>, 'email_key' | 'password_hash'>;

/** SQLite has no booleans. */
type Bound<T> = Omit<T, 'defaultPassword'> & { defaultPassword: number };
type Inserted = Bound<NewAccount> & { emailKey: string };
type Changed = Omit<Bound<Required<AccountChange>>, 'passwordHash' | 'lastSignInAt'> & {
  id: string;
  // Also what no change may set them to, but a row may have.
  passwordHash: string | null;
  lastSignInAt: number | null;
};

const COLUMNS = [
  'accounts.id',
  'email',
  'accounts.name',
  'role',
  'status',
  'access_key',
  'created_at',
  'last_sign_in_at',
  'sign_in_epoch',
  'temporary_password_until',
  'default_password',
] as const satisfies readonly (keyof AccountRow | `accounts.${keyof AccountRow}`)[];

export function accountStatements(prepare: Prepare) {
  return {
    ...lookUps(prepare),
    ...lists(prepare),
    ...additions(prepare),
    ...updates(prepare),
    ...removals(prepare),
  };
}

function lookUps(prepare: Prepare) {
  return {
    byId: prepare((query, at: Params<{ id: string }>) =>
      query.selectFrom('accounts').select(COLUMNS).where('accounts.id', '=', at.id),
    ),
    byAccessKey: prepare((query, at: Params<{ accessKey: string }>) =>
      query.selectFrom('accounts').select(COLUMNS).where('access_key', '=', at.accessKey),
    ),
    idByEmail: prepare((query, at: Params<{ emailKey: string }>) =>
      query.selectFrom('accounts').select('id').where('email_key', '=', at.emailKey),
    ),
    passwordHash: prepare((query, at: Params<{ id: string }>) =>
      query.selectFrom('accounts').select('password_hash').where('id', '=', at.id),
    ),
    teamsOf: prepare((query, at: Params<{ id: string }>) =>
      query
        .selectFrom('team_members')
        .innerJoin('teams', 'teams.id', 'team_members.team_id')
        .select(['teams.id', 'teams.name'])
        .where('team_members.account_id', '=', at.id)
        .orderBy('teams.name'),
    ),
  };
}

function lists(prepare: Prepare) {
  return {
    all: prepare((query) =>
      query.selectFrom('accounts').select(COLUMNS).orderBy('created_at').orderBy('accounts.id'),
    ),
    memberships: prepare((query) =>
      query
        .selectFrom('team_members')
        .innerJoin('teams', 'teams.id', 'team_members.team_id')
        .select(['team_members.account_id as accountId', 'teams.id', 'teams.name'])
        .orderBy('teams.name'),
    ),
    anyone: prepare((query) => query.selectFrom('accounts').select('id').limit(sql.lit(1))),
    defaultPassword: prepare((query) =>
      query
        .selectFrom('accounts')
        .select('id')
        .where((of) =>
          of.and([of('default_password', '=', sql.lit(1)), of('status', '=', sql.lit('Active' as const))]),
        )
        .limit(sql.lit(1)),
    ),
    countActive: prepare((query, at: Params<{ role: Role }>) =>
      query
        .selectFrom('accounts')
        .select((of) => of.fn.countAll<number>().as('count'))
        .where((of) => of.and([of('role', '=', at.role), of('status', '=', sql.lit('Active' as const))])),
    ),
    oldestActive: prepare((query, at: Params<{ role: Role }>) =>
      query
        .selectFrom('accounts')
        .select('id')
        .where((of) => of.and([of('role', '=', at.role), of('status', '=', sql.lit('Active' as const))]))
        .orderBy('created_at')
        .orderBy('id'),
    ),
  };
}

function additions(prepare: Prepare) {
  return {
    insert: prepare((query, at: Params<Inserted>) =>
      query.insertInto('accounts').values({
        id: at.id,
        email: at.email,
        email_key: at.emailKey,
        name: at.name,
        role: at.role,
        status: at.status,
        access_key: at.accessKey,
        password_hash: at.passwordHash,
        temporary_password_until: at.temporaryPasswordUntil,
        default_password: at.defaultPassword,
        created_at: at.createdAt,
      }),
    ),
  };
}

function updates(prepare: Prepare) {
  return {
    changeable: prepare((query, at: Params<{ id: string }>) =>
      query
        .selectFrom('accounts')
        .select([
          'name',
          'role',
          'status',
          'access_key as accessKey',
          'password_hash as passwordHash',
          'temporary_password_until as temporaryPasswordUntil',
          'default_password as defaultPassword',
          'last_sign_in_at as lastSignInAt',
          'sign_in_epoch as signInEpoch',
        ])
        .where('id', '=', at.id),
    ),
    update: prepare((query, at: Params<Changed>) =>
      query
        .updateTable('accounts')
        .set({
          name: at.name,
          role: at.role,
          status: at.status,
          access_key: at.accessKey,
          password_hash: at.passwordHash,
          temporary_password_until: at.temporaryPasswordUntil,
          default_password: at.defaultPassword,
          last_sign_in_at: at.lastSignInAt,
          sign_in_epoch: at.signInEpoch,
        })
        .where('id', '=', at.id),
    ),
  };
}

function removals(prepare: Prepare) {
  return {
    remove: prepare((query, at: Params<{ id: string }>) =>
      query.deleteFrom('accounts').where('id', '=', at.id),
    ),
    removeApiTokens: prepare((query, at: Params<{ id: string }>) =>
      query.deleteFrom('api_tokens').where('owner_id', '=', at.id).returning('id'),
    ),
    removeSignIns: prepare((query, at: Params<{ id: string }>) =>
      query
        .deleteFrom('sign_ins')
        .where((of) =>
          of.or([
            of('account_id', '=', at.id),
            of(
              'api_token_id',
              'in',
              of.selectFrom('api_tokens').select('api_tokens.id').where('owner_id', '=', at.id),
            ),
          ]),
        )
        .returning('id'),
    ),
  };
}
