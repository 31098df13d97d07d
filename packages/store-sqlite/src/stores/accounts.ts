import {
  type Account,
  type AccountChange,
  type AccountPage,
  type AccountStore,
  emailKey,
  type NewAccount,
  type Team,
} from '@svc/auth-core';
import type { Role } from '@svc/contract';
import type { Caches } from '../cache/caches.ts';
import type { Connection } from '../connection/connection.ts';
import { type AccountView, accountStatements } from './account-statements.ts';

export class AccountRows implements AccountStore {
  readonly #connection: Connection;
  readonly #caches: Caches;
  readonly #statements: ReturnType<typeof accountStatements>;

  constructor(connection: Connection, caches: Caches) {
    this.#connection = connection;
    this.#caches = caches;
    this.#statements = accountStatements(connection);
  }

  byId(id: string): Account | undefined {
    this.#connection.checkForOtherWriters();
    return this.#caches.accounts.byId(id) ?? this.#remember(this.#statements.byId.get({ id }));
  }

  byAccessKey(accessKey: string): Account | undefined {
    this.#connection.checkForOtherWriters();
    return (
      this.#caches.accounts.byKey(accessKey) ??
      this.#remember(this.#statements.byAccessKey.get({ accessKey }))
    );
  }

  byEmail(email: string): Account | undefined {
    const found = this.#statements.idByEmail.get({ emailKey: emailKey(email) });
    return found && this.byId(found.id);
  }

  passwordHash(id: string): string | null {
    return this.#statements.passwordHash.get({ id })?.password_hash ?? null;
  }

  insert(account: NewAccount): void {
    this.#statements.insert.run({
      ...account,
      emailKey: emailKey(account.email),
      defaultPassword: Number(account.defaultPassword),
    });
  }

  update(id: string, change: AccountChange): void {
    const current = this.#statements.changeable.get({ id });
    if (current === undefined) return;
    const next = { ...current, ...change };
    this.#statements.update.run({ ...next, id, defaultPassword: Number(next.defaultPassword) });
    this.#caches.accounts.drop(id);
  }

  remove(id: string): void {
    for (const signIn of this.#statements.removeSignIns.all({ id })) this.#caches.dropSignIn(signIn.id);
    for (const token of this.#statements.removeApiTokens.all({ id })) this.#caches.dropApiToken(token.id);
    // Foreign keys delete the reset links, team memberships and trust rules of the account.
    this.#statements.remove.run({ id });
    this.#caches.accounts.drop(id);
    this.#caches.dropTrustRules();
  }

  list(): Account[] {
    const teams = new Map<string, Team[]>();
    for (const { accountId, id, name } of this.#statements.memberships.all({})) {
      const known = teams.get(accountId);
      if (known === undefined) teams.set(accountId, [{ id, name }]);
      else known.push({ id, name });
    }
    return this.#statements.all.all({}).map((row) => accountOf(row, teams.get(row.id) ?? NO_TEAMS));
  }

  page({ visible, search, teamId, order, before, limit }: AccountPage): Account[] {
    const [role1 = null, role2 = null, role3 = null] = visible.roles;
    const { newest, oldest } = this.#statements;
    const [statement, start] = order === undefined ? [newest, Number.MAX_SAFE_INTEGER] : [oldest, -1];
    return statement
      .all({
        role1,
        role2,
        role3,
        self: visible.self,
        search: search ?? null,
        searchKey: search === undefined ? null : emailKey(search),
        teamId: teamId ?? null,
        placeAt: before?.createdAt ?? start,
        placeId: before?.id ?? '',
        limit,
      })
      .map((row) => accountOf(row, this.#teamsOf(row)));
  }

  hasDefaultPassword(): boolean {
    return this.#statements.defaultPassword.get({}) !== undefined;
  }

  isEmpty(): boolean {
    return this.#statements.anyone.get({}) === undefined;
  }

  countActive(role: Role): number {
    return this.#statements.countActive.get({ role })?.count ?? 0;
  }

  oldestActive(role: Role): Account | undefined {
    const found = this.#statements.oldestActive.get({ role });
    return found && this.byId(found.id);
  }

  #teamsOf({ id, in_team }: AccountView): readonly Team[] {
    return in_team === 0 ? NO_TEAMS : this.#statements.teamsOf.all({ id });
  }

  #remember(row: AccountView | undefined): Account | undefined {
    if (row === undefined) return undefined;
    const account = accountOf(row, this.#teamsOf(row));
    this.#caches.accounts.add(account.accessKey, account);
    return account;
  }
}

/** Frozen empty list that all accounts without a team share. */
const NO_TEAMS: readonly Team[] = Object.freeze([]);

/**
 * Converts a row to an account. The account is frozen, because all requests of the account share it; an update creates
 * a new object.
 */
function accountOf(row: AccountView, teams: readonly Team[]): Account {
  return Object.freeze({
    id: row.id,
    email: row.email,
    name: row.name,
    role: row.role,
    status: row.status,
    accessKey: row.access_key,
    teams: frozenTeams(teams),
    createdAt: row.created_at,
    lastSignInAt: row.last_sign_in_at,
    signInEpoch: row.sign_in_epoch,
    sparedSignIn: row.spared_sign_in,
    temporaryPasswordUntil: row.temporary_password_until,
    defaultPassword: row.default_password !== 0,
  });
}

function frozenTeams(teams: readonly Team[]): readonly Team[] {
  if (teams === NO_TEAMS) return NO_TEAMS;
  return Object.freeze(teams.map(({ id, name }) => Object.freeze({ id, name })));
}
