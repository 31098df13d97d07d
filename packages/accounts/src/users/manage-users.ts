import type { Account, Caller } from '@svc/auth-core';
import {
  actorOf,
  maySee,
  newTemporaryPassword,
  type Reauthorizing,
  Refusal,
  reauthorize,
  refuseAgents,
  senderOf,
} from '@svc/auth-core';
import { ADMIN, emailKey, isEmailAddress, type Role } from '@svc/contract';
import { checkNewPassword, checkNotCommon } from '../passwords/password-rules.ts';
import { Turns } from '../passwords/turns.ts';
import type { Identity } from '../ports/identities.ts';
import type { PasswordTools } from '../ports/tools.ts';
import {
  checkGivenRole,
  checkUserChange,
  otherAccount,
  type UserChange,
  visibleTo,
} from '../rules/change-user.ts';
import { checkName } from '../rules/name.ts';
import { inSteps, pageSize } from '../rules/pages.ts';
import { addAccount, changeAccount, changesOf, keepLastSuperAdmin } from './change-account.ts';

export interface NewUser {
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly password?: string | undefined;
  readonly teamIds?: readonly string[] | undefined;
}

export interface UserPage {
  /** Filter: part of the e-mail address, or part of the name. */
  readonly search?: string | undefined;
  /** Id of a team, which selects the members of this team. */
  readonly team?: string | undefined;
  readonly before?: string | undefined;
  readonly limit?: number | undefined;
}

export interface CreatedUser {
  readonly account: Account;
  /** Temporary password, which the response shows once. Present only if the server created the password. */
  readonly temporaryPassword?: string;
}

type Tools = PasswordTools & Reauthorizing;

/** Lets Admins and Super admins list, create, change and remove accounts (contract 2 and 3.6). */
export class ManageUsers {
  readonly #tools: Tools;
  /**
   * Queues of requests that create an account, by e-mail address, so that only one request per address hashes a
   * password.
   */
  readonly #turns = new Turns();

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /**
   * Reads the accounts that the caller may see, oldest first, when they are requested. An undefined item marks a step
   * after which other requests may run.
   */
  read(caller: Caller): Iterable<Account | undefined> {
    const query = { visible: visibleTo(caller), order: 'oldest first' } as const;
    return inSteps<Account>((before, limit) => this.#tools.stores.accounts.page({ ...query, before, limit }));
  }

  /** Returns a page of the accounts that `read` returns, newest first. `before` is the id of a user. */
  page(caller: Caller, { search, team, before, limit }: UserPage): Account[] {
    const { accounts } = this.#tools.stores;
    const last = before === undefined ? undefined : accounts.byId(before);
    // If the caller may not see this user, the response is the same as for an unknown user, so that it does not show
    // whether the user exists.
    if (before !== undefined && (last === undefined || !maySee(caller, last)))
      throw new Refusal('bad_request', 'no such user', { message: 'before: is not a user' });
    const page = { visible: visibleTo(caller), search, teamId: team, before: last };
    return accounts.page({ ...page, limit: pageSize(limit) }).filter((account) => maySee(caller, account));
  }

  async create(caller: Caller, input: NewUser): Promise<CreatedUser> {
    refuseAgents(caller);
    const email = input.email.trim();
    if (!isEmailAddress(email))
      throw new Refusal('bad_request', 'email', { message: 'email: is not an e-mail address' });
    const name = checkName(input.name);
    checkGivenRole(caller, input.role);
    if (input.password !== undefined) {
      checkNewPassword(input.password);
      checkNotCommon(input.password, this.#tools.isCommonPassword);
    }
    // Requests with the same address run one after the other. Once the first has created the account, the others fail
    // before they hash a password, which is expensive.
    return this.#turns.take(emailKey(email), () => this.#create(caller, { ...input, email, name }));
  }

  async #create(caller: Caller, input: NewUser): Promise<CreatedUser> {
    const { stores, random, hasher, audit } = this.#tools;
    if (stores.accounts.byEmail(input.email) !== undefined) throw new Refusal('conflict');
    this.#checkTeams(input.teamIds);
    const temporaryPassword = input.password === undefined ? newTemporaryPassword(random) : undefined;
    const passwordHash = await hasher.hash(input.password ?? (temporaryPassword as string), {
      known: true,
      sender: senderOf(caller.from),
    });
    const id = stores.transaction((tx) => {
      checkGivenRole(reauthorize(caller, ADMIN, this.#tools), input.role);
      this.#checkTeams(input.teamIds);
      const isTemporary = temporaryPassword !== undefined;
      const made = addAccount(tx, this.#tools, { ...input, passwordHash, isTemporary });
      audit.record(tx, 'user_created', { ...actorOf(caller), target: made, reason: `role ${input.role}` });
      return made;
    });
    const account = stores.accounts.byId(id) as Account;
    return temporaryPassword === undefined ? { account } : { account, temporaryPassword };
  }

  /** Lists the linked provider identities of all accounts that the caller may see. */
  identities(caller: Caller): Identity[] {
    const { accounts, identities } = this.#tools.stores;
    return identities.listAll().filter(({ accountId }) => {
      const account = accounts.byId(accountId);
      return account !== undefined && maySee(caller, account);
    });
  }

  /** Throws a refusal if the user is unknown, or if the caller may not change them. */
  checkReach(caller: Caller, id: string): void {
    checkUserChange(caller, this.#find(id), {});
  }

  /**
   * Changes a user. The status Inactive ends the user's sign-ins and reset links in the same transaction (contract 2).
   */
  change(caller: Caller, id: string, change: UserChange): Account {
    const { stores, audit } = this.#tools;
    const name = change.name === undefined ? undefined : checkName(change.name);
    // The owner of the address can then get a link to the account.
    if (change.emailConfirmed === true) refuseAgents(caller);
    return stores.transaction((tx) => {
      const target = this.#find(id);
      checkUserChange(caller, target, change);
      this.#checkTeams(change.teamIds);
      changeAccount(tx, target, name === undefined ? change : { ...change, name });
      const reason = changesOf(target, change);
      audit.record(tx, 'user_updated', { ...actorOf(caller), target: id, reason });
      return this.#find(id);
    });
  }

  /** Returns whether no one has confirmed that the e-mail address belongs to the user. */
  isEmailUnconfirmed({ id }: Account): boolean {
    return this.#tools.stores.identities.isEmailUnconfirmed(id);
  }

  /** Removes the user with their sign-ins, keys, reset links and team memberships (contract 2). */
  remove(caller: Caller, id: string): void {
    const { stores, audit } = this.#tools;
    stores.transaction((tx) => {
      const target = otherAccount(stores, caller, id);
      keepLastSuperAdmin(tx, target);
      tx.accounts.remove(id);
      audit.record(tx, 'user_deleted', { ...actorOf(caller), target: id, reason: `role ${target.role}` });
    });
  }

  #find(id: string): Account {
    const account = this.#tools.stores.accounts.byId(id);
    if (account === undefined) throw new Refusal('not_found');
    return account;
  }

  #checkTeams(ids: readonly string[] | undefined): void {
    const unknown = ids?.find((id) => this.#tools.stores.teams.byId(id) === undefined);
    if (unknown !== undefined) throw new Refusal('unknown_team');
  }
}
