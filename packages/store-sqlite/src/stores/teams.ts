import type { Account, AccountStore, Team, TeamStore } from '@svc/auth-core';
import type { Memory } from '../cache/memory.ts';
import type { Params, Prepare } from '../connection/statements.ts';

/** Accounts carry their teams, so every change here drops the accounts concerned from memory. */
export class Teams implements TeamStore {
  readonly #memory: Memory;
  readonly #accounts: AccountStore;
  readonly #statements: ReturnType<typeof statements>;

  constructor(prepare: Prepare, memory: Memory, accounts: AccountStore) {
    this.#memory = memory;
    this.#accounts = accounts;
    this.#statements = statements(prepare);
  }

  byId(id: string): Team | undefined {
    return this.#statements.byId.first({ id });
  }

  byName(name: string): Team | undefined {
    return this.#statements.byName.first({ name });
  }

  list(): Team[] {
    return this.#statements.list.all({});
  }

  insert(team: Team): void {
    this.#statements.insert.run({ ...team });
  }

  remove(id: string): void {
    for (const { accountId } of this.#statements.removeMembers.all({ id })) {
      this.#memory.accounts.drop(accountId);
    }
    this.#statements.remove.run({ id });
  }

  membersOf(id: string): Account[] {
    return this.#statements.membersOf.all({ id }).flatMap((row) => this.#accounts.byId(row.id) ?? []);
  }

  addMember(teamId: string, accountId: string): void {
    this.#statements.addMember.run({ teamId, accountId });
    this.#memory.accounts.drop(accountId);
  }

  removeMember(teamId: string, accountId: string): boolean {
    const removed = this.#statements.removeMember.run({ teamId, accountId }) > 0;
    this.#memory.accounts.drop(accountId);
    return removed;
  }
}

interface Membership {
  teamId: string;
  accountId: string;
}

function statements(prepare: Prepare) {
  return { ...ofTeams(prepare), ...ofMembers(prepare) };
}

function ofTeams(prepare: Prepare) {
  return {
    byId: prepare((query, at: Params<{ id: string }>) =>
      query.selectFrom('teams').select(['id', 'name']).where('id', '=', at.id),
    ),
    byName: prepare((query, at: Params<{ name: string }>) =>
      query.selectFrom('teams').select(['id', 'name']).where('name', '=', at.name),
    ),
    list: prepare((query) => query.selectFrom('teams').select(['id', 'name']).orderBy('name')),
    insert: prepare((query, at: Params<Team>) =>
      query.insertInto('teams').values({ id: at.id, name: at.name }),
    ),
    remove: prepare((query, at: Params<{ id: string }>) => query.deleteFrom('teams').where('id', '=', at.id)),
  };
}

function ofMembers(prepare: Prepare) {
  return {
    removeMembers: prepare((query, at: Params<{ id: string }>) =>
      query.deleteFrom('team_members').where('team_id', '=', at.id).returning('account_id as accountId'),
    ),
    membersOf: prepare((query, at: Params<{ id: string }>) =>
      query
        .selectFrom('team_members')
        .innerJoin('accounts', 'accounts.id', 'team_members.account_id')
        .select('accounts.id')
        .where('team_members.team_id', '=', at.id)
        .orderBy('accounts.created_at')
        .orderBy('accounts.id'),
    ),
    // Two requests that add the same member both had their way.
    addMember: prepare((query, at: Params<Membership>) =>
      query
        .insertInto('team_members')
        .values({ team_id: at.teamId, account_id: at.accountId })
        .onConflict((conflict) => conflict.doNothing()),
    ),
    removeMember: prepare((query, at: Params<Membership>) =>
      query
        .deleteFrom('team_members')
        .where('team_id', '=', at.teamId)
        .where('account_id', '=', at.accountId),
    ),
  };
}
