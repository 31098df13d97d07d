import type { Account, Team } from '../principal.ts';

export interface TeamReader {
  byId(id: string): Team | undefined;
  byName(name: string): Team | undefined;
  list(): Team[];
  membersOf(id: string): Account[];
}

export interface TeamStore extends TeamReader {
  /** Adds a team. Throws `Conflict` if the name is taken. */
  insert(team: Team): void;
  remove(id: string): void;
  addMember(teamId: string, accountId: string): void;
  /**
   * Removes an account from a team.
   * @returns false if the account was not a member
   */
  removeMember(teamId: string, accountId: string): boolean;
}
