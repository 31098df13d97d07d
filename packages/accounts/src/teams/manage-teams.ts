import { type Account, actorOf, type Caller, mayActOn, maySee, Refusal, type Team } from '@svc/auth-core';
import type { AccountTools } from '../ports/tools.ts';
import { checkName } from '../rules/name.ts';

interface Tools extends Pick<AccountTools, 'stores' | 'random' | 'audit'> {
  /** Returns the number of a team's phones, including phones that are not connected. */
  readonly countDevices: (teamId: string) => number;
  /** Returns the number of webhooks that get only the events of a team. */
  readonly countWebhooks: (teamId: string) => number;
}

/** Manages teams and their members (contract 2). */
export class ManageTeams {
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  list(_caller: Caller): Team[] {
    return this.#tools.stores.teams.list();
  }

  create(caller: Caller, input: { name: string }): Team {
    const { stores, random, audit } = this.#tools;
    const team = { id: random.uuid(), name: checkName(input.name) };
    stores.transaction((tx) => {
      tx.teams.insert(team);
      audit.record(tx, 'authz_admin', { ...actorOf(caller), target: team.id, reason: 'team created' });
    });
    return team;
  }

  /**
   * Removes a team. Throws a refusal while the team has members, devices, keys, trust rules or webhooks, because removing
   * it must change neither anyone's access nor which events a webhook receives.
   */
  remove(caller: Caller, id: string): void {
    const { stores, audit } = this.#tools;
    stores.transaction((tx) => {
      this.#find(id);
      const counts = {
        members: tx.teams.membersOf(id).length,
        devices: this.#tools.countDevices(id),
        apiKeys: tx.apiTokens.countOfTeam(id),
      };
      const trustRules = tx.trustRules.list().filter(({ teamId }) => teamId === id).length;
      const webhooks = this.#tools.countWebhooks(id);
      if (counts.members + counts.devices + counts.apiKeys + trustRules + webhooks > 0) {
        const fields = {
          ...counts,
          ...(trustRules === 0 ? {} : { trustRules }),
          ...(webhooks === 0 ? {} : { webhooks }),
        };
        throw new Refusal('team_not_empty', 'team not empty', fields);
      }
      tx.teams.remove(id);
      audit.record(tx, 'authz_admin', { ...actorOf(caller), target: id, reason: 'team removed' });
    });
  }

  /** Throws a refusal if there is no such team. */
  checkKnown(_caller: Caller, id: string): void {
    this.#find(id);
  }

  /** Lists the members of a team whom the caller also sees in `GET /users`. */
  members(caller: Caller, id: string): Account[] {
    this.#find(id);
    return this.#tools.stores.teams.membersOf(id).filter((account) => maySee(caller, account));
  }

  addMember(caller: Caller, id: string, userId: string): Account {
    const { stores, audit } = this.#tools;
    return stores.transaction((tx) => {
      const account = this.#member(caller, id, userId);
      tx.teams.addMember(id, userId);
      audit.record(tx, 'authz_admin', { ...actorOf(caller), target: userId, reason: `joined team ${id}` });
      return account;
    });
  }

  removeMember(caller: Caller, id: string, userId: string): void {
    const { stores, audit } = this.#tools;
    stores.transaction((tx) => {
      this.#member(caller, id, userId);
      if (!tx.teams.removeMember(id, userId)) throw new Refusal('not_found');
      audit.record(tx, 'authz_admin', { ...actorOf(caller), target: userId, reason: `left team ${id}` });
    });
  }

  #find(id: string): Team {
    const team = this.#tools.stores.teams.byId(id);
    if (team === undefined) throw new Refusal('not_found');
    return team;
  }

  #member(caller: Caller, id: string, userId: string): Account {
    this.#find(id);
    const account = this.#tools.stores.accounts.byId(userId);
    if (account === undefined) throw new Refusal('not_found');
    if (!mayActOn(caller, account, { self: true })) throw new Refusal('role_exceeds_yours');
    return account;
  }
}
