import { emailKey } from '../../email-address.ts';
import { Conflict } from '../../errors.ts';
import type { AccountReader, AccountStore, TeamStore } from '../../ports/index.ts';
import type { Account } from '../../principal.ts';
import { type AccountRow, hasText, newestFirst, oldestFirst, type Tables, textOrder } from './tables.ts';

export function memoryAccounts(tables: Tables): AccountStore {
  const { accounts } = tables;
  const view = (row: AccountRow | undefined) => row && accountOf(row, tables);
  const active = (role: Account['role']) =>
    accounts
      .all()
      .filter((row) => row.role === role && row.status === 'Active')
      .sort(oldestFirst);
  return {
    byId: (id) => view(accounts.get(id)),
    byAccessKey: (accessKey) => view(accounts.find((row) => row.accessKey === accessKey)),
    byEmail: (email) => view(accounts.find((row) => emailKey(row.email) === emailKey(email))),
    passwordHash: (id) => accounts.get(id)?.passwordHash ?? null,
    insert: (account) => {
      const taken = accounts.find(
        (row) =>
          row.id === account.id ||
          row.accessKey === account.accessKey ||
          emailKey(row.email) === emailKey(account.email),
      );
      if (taken !== undefined) throw new Conflict('a value that must be unique is already used');
      accounts.set(account.id, { ...account, lastSignInAt: null, signInEpoch: 0, sparedSignIn: null });
    },
    update: (id, change) => {
      const row = accounts.get(id);
      if (row === undefined) return;
      const next = { ...row, ...change };
      if (accounts.find((other) => other.id !== id && other.accessKey === next.accessKey) !== undefined) {
        throw new Conflict('a value that must be unique is already used');
      }
      accounts.set(id, next);
    },
    remove: (id) => {
      const tokens = new Set(tables.apiTokens.deleteWhere((token) => token.ownerId === id));
      tables.signIns.deleteWhere((row) => row.accountId === id || tokens.has(row.apiTokenId ?? ''));
      tables.resetLinks.deleteWhere((link) => link.accountId === id);
      tables.memberships.deleteWhere(({ accountId }) => accountId === id);
      tables.trustRules.deleteWhere(({ ownerId }) => ownerId === id);
      tables.directoryUsers.delete(id);
      accounts.delete(id);
    },
    list: () =>
      accounts
        .all()
        .sort(oldestFirst)
        .map((row) => accountOf(row, tables)),
    page: ({ visible, search = '', teamId, order, before, limit }) => {
      const sorted = order === undefined ? newestFirst : oldestFirst;
      return accounts
        .all()
        .sort(sorted)
        .filter((row) => visible.roles.includes(row.role) || row.id === visible.self)
        .filter((row) => hasText(row.name, search) || emailKey(row.email).includes(emailKey(search)))
        .map((row) => accountOf(row, tables))
        .filter(({ teams }) => teamId === undefined || teams.some(({ id }) => id === teamId))
        .filter((row) => before === undefined || sorted(row, before) > 0)
        .slice(0, limit);
    },
    isEmpty: () => accounts.all().length === 0,
    hasDefaultPassword: () =>
      accounts.find((row) => row.defaultPassword && row.status === 'Active') !== undefined,
    countActive: (role) => active(role).length,
    oldestActive: (role) => view(active(role)[0]),
  };
}

export function memoryTeams(tables: Tables, accounts: AccountReader): TeamStore {
  const { teams, memberships } = tables;
  const keyOf = (teamId: string, accountId: string) => `${teamId} ${accountId}`;
  return {
    byId: (id) => teams.get(id),
    byName: (name) => teams.find((team) => team.name === name),
    list: () => teams.all().sort((a, b) => textOrder(a.name, b.name)),
    insert: ({ id, name }) => {
      const taken = teams.find((team) => team.id === id || team.name === name);
      if (taken !== undefined) throw new Conflict('a value that must be unique is already used');
      teams.set(id, { id, name });
    },
    remove: (id) => {
      memberships.deleteWhere(({ teamId }) => teamId === id);
      teams.delete(id);
    },
    membersOf: (id) => {
      const members = new Set(memberships.all().flatMap((row) => (row.teamId === id ? [row.accountId] : [])));
      return accounts.list().filter((account) => members.has(account.id));
    },
    addMember: (teamId, accountId) => {
      if (!teams.has(teamId) || tables.accounts.get(accountId) === undefined) {
        throw new Conflict('the record that this belongs to no longer exists');
      }
      memberships.set(keyOf(teamId, accountId), { teamId, accountId });
    },
    removeMember: (teamId, accountId) => memberships.delete(keyOf(teamId, accountId)),
  };
}

function accountOf(row: AccountRow, tables: Tables): Account {
  const { passwordHash: _, ...account } = row;
  const teams = tables.memberships
    .all()
    .flatMap(({ teamId, accountId }) => (accountId === row.id ? (tables.teams.get(teamId) ?? []) : []))
    .sort((a, b) => textOrder(a.name, b.name));
  return Object.freeze({ ...account, teams: Object.freeze(teams) });
}
