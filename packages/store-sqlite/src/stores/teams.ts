import type { AccountStore, Team, TeamStore } from '@svc/auth-core';
import type { Caches } from '../cache/caches.ts';
import type { Connection } from '../connection/connection.ts';
import { Rows, required, type Table } from './table.ts';

interface Membership {
  readonly teamId: string;
  readonly accountId: string;
}

export const TEAMS: Table<Team> = { name: 'teams', columns: { id: required, name: required } };

export const TEAM_MEMBERS: Table<Membership> = {
  name: 'team_members',
  columns: { teamId: required, accountId: required },
};

/** Every change removes the accounts concerned from the cache, because cached accounts include their teams. */
export function teamRows(connection: Connection, caches: Caches, accounts: AccountStore): TeamStore {
  const teams = new Rows(connection, TEAMS);
  const members = new Rows(connection, TEAM_MEMBERS);
  const byId = teams.first();
  const byName = teams.first<{ name: string }>('where name = @name');
  const list = teams.all('order by name');
  const insert = teams.insert();
  const remove = teams.remove();
  const removeMembers = connection.prepare<{ id: string }, { accountId: string }>(
    'delete from team_members where team_id = @id returning account_id as accountId',
  );
  const membersOf = connection.prepare<{ id: string }, { id: string }>(`
    select accounts.id
    from team_members join accounts on accounts.id = team_members.account_id
    where team_members.team_id = @id
    order by accounts.created_at, accounts.id`);
  // Ignores a conflict, so that two concurrent requests that add the same member both succeed.
  const addMember = members.insert('on conflict do nothing');
  const removeMember = members.remove<Membership>('team_id = @teamId and account_id = @accountId');
  return {
    byId: (id) => byId({ id }),
    byName: (name) => byName({ name }),
    list: () => list({}),
    insert: (team) => void insert(team),
    remove: (id) => {
      for (const { accountId } of removeMembers.all({ id })) caches.accounts.drop(accountId);
      remove({ id });
    },
    membersOf: (id) => membersOf.all({ id }).flatMap((row) => accounts.byId(row.id) ?? []),
    addMember: (teamId, accountId) => {
      addMember({ teamId, accountId });
      caches.accounts.drop(accountId);
    },
    removeMember: (teamId, accountId) => {
      const isRemoved = removeMember({ teamId, accountId }) > 0;
      caches.accounts.drop(accountId);
      return isRemoved;
    },
  };
}
