import type { Account, AccountStore, Team, TeamStore } from '@svc/auth-core';
import type { Caches } from '../cache/caches.ts';
import type { Connection } from '../connection/connection.ts';
import type { NoParams } from '../connection/statement.ts';

/**
 * Stores teams and their members. Every change removes the accounts concerned from the cache, because cached accounts
 * include their teams.
 */
export class TeamRows implements TeamStore {
  readonly #caches: Caches;
  readonly #accounts: AccountStore;
  readonly #statements: ReturnType<typeof statements>;

  constructor(connection: Connection, caches: Caches, accounts: AccountStore) {
    this.#caches = caches;
    this.#accounts = accounts;
    this.#statements = statements(connection);
  }

  byId(id: string): Team | undefined {
    return this.#statements.byId.get({ id });
  }

  byName(name: string): Team | undefined {
    return this.#statements.byName.get({ name });
  }

  list(): Team[] {
    return this.#statements.list.all({});
  }

  insert(team: Team): void {
    this.#statements.insert.run({ ...team });
  }

  remove(id: string): void {
    for (const { accountId } of this.#statements.removeMembers.all({ id })) {
      this.#caches.accounts.drop(accountId);
    }
    this.#statements.remove.run({ id });
  }

  membersOf(id: string): Account[] {
    return this.#statements.membersOf.all({ id }).flatMap((row) => this.#accounts.byId(row.id) ?? []);
  }

  addMember(teamId: string, accountId: string): void {
    this.#statements.addMember.run({ teamId, accountId });
    this.#caches.accounts.drop(accountId);
  }

  removeMember(teamId: string, accountId: string): boolean {
    const removed = this.#statements.removeMember.run({ teamId, accountId }) > 0;
    this.#caches.accounts.drop(accountId);
    return removed;
  }
}

interface Membership {
  teamId: string;
  accountId: string;
}

function statements(connection: Connection) {
  return { ...ofTeams(connection), ...ofMembers(connection) };
}

function ofTeams(connection: Connection) {
  return {
    byId: connection.prepare<{ id: string }, Team>('select id, name from teams where id = @id'),
    byName: connection.prepare<{ name: string }, Team>('select id, name from teams where name = @name'),
    list: connection.prepare<NoParams, Team>('select id, name from teams order by name'),
    insert: connection.prepare<Team, never>('insert into teams (id, name) values (@id, @name)'),
    remove: connection.prepare<{ id: string }, never>('delete from teams where id = @id'),
  };
}

function ofMembers(connection: Connection) {
  return {
    removeMembers: connection.prepare<{ id: string }, { accountId: string }>(
      'delete from team_members where team_id = @id returning account_id as accountId',
    ),
    membersOf: connection.prepare<{ id: string }, { id: string }>(`
      select accounts.id
      from team_members join accounts on accounts.id = team_members.account_id
      where team_members.team_id = @id
      order by accounts.created_at, accounts.id`),
    // Ignores a conflict, so that two concurrent requests that add the same member both succeed.
    addMember: connection.prepare<Membership, never>(`
      insert into team_members (team_id, account_id) values (@teamId, @accountId)
      on conflict do nothing`),
    removeMember: connection.prepare<Membership, never>(
      'delete from team_members where team_id = @teamId and account_id = @accountId',
    ),
  };
}
