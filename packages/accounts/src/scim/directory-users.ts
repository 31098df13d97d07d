import { type Account, actorOf, type Caller, Refusal } from '@svc/auth-core';
import { isEmailAddress, type Status } from '@svc/contract';
import type { DirectoryEntry } from '../ports/directory-users.ts';
import type { AccountTransaction } from '../ports/stores.ts';
import type { PasswordTools } from '../ports/tools.ts';
import { checkName } from '../rules/name.ts';
import { addAccount, changeAccount, changesOf } from '../users/change-account.ts';

/** An account, with the data that the identity provider sent about it. */
export interface DirectoryUser {
  readonly account: Account;
  readonly externalId: string | null;
}

/** Changes that an identity provider requests for a user. Absent fields stay unchanged. */
export interface DirectoryChange {
  readonly name?: string | undefined;
  readonly externalId?: string | null | undefined;
  readonly active?: boolean | undefined;
}

export interface NewDirectoryUser extends DirectoryChange {
  readonly email: string;
}

export interface DirectoryPage {
  readonly total: number;
  readonly users: DirectoryUser[];
}

type Tools = Pick<PasswordTools, 'stores' | 'clock' | 'random' | 'audit'>;

const NO_ENTRY: DirectoryEntry = { externalId: null, isDeleted: false, isDeactivated: false };
/**
 * Maximum number of users that a search for an external id returns. External ids should be unique, but providers do not
 * guarantee it.
 */
const MOST_WITH_ONE_ID = 100;

/**
 * Lets the company's identity provider create, deactivate and activate accounts over SCIM (contract 10.5). The provider
 * can deactivate Members and Admins, because both may leave the company, but not Super admins. It creates only Members,
 * and never changes a role, a password or an e-mail address.
 */
export class DirectoryUsers {
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /** Returns one page of the users, oldest first. `offset` is the number of users to skip. */
  page(_caller: Caller, offset: number, limit: number): DirectoryPage {
    const { directoryUsers } = this.#tools.stores;
    return { total: directoryUsers.count(), users: this.#usersOf(directoryUsers.page(offset, limit)) };
  }

  /** Returns the user with this e-mail address, regardless of letter case, or undefined if there is none. */
  byEmail(_caller: Caller, email: string): DirectoryUser | undefined {
    const account = this.#tools.stores.accounts.byEmail(email);
    return account && this.#shown(account);
  }

  byExternalId(_caller: Caller, externalId: string): DirectoryUser[] {
    return this.#usersOf(this.#tools.stores.directoryUsers.byExternalId(externalId, MOST_WITH_ONE_ID));
  }

  read(_caller: Caller, id: string): DirectoryUser {
    const account = this.#tools.stores.accounts.byId(id);
    const user = account && this.#shown(account);
    if (user === undefined) throw new Refusal('not_found');
    return user;
  }

  /**
   * Creates a Member without a password. Throws `conflict` if the e-mail address is taken. If the provider deleted a
   * user with this address, a new account replaces the old one, because the address may belong to another person now.
   * Throws a refusal if somebody made that user Inactive by hand: otherwise the provider would let them in again.
   */
  create(
    caller: Caller,
    { email: given, name, externalId = null, active = true }: NewDirectoryUser,
  ): DirectoryUser {
    const email = given.trim();
    if (!isEmailAddress(email)) throw new Refusal('invalid_email');
    const shownName = checkName(name ?? email);
    const { stores, audit } = this.#tools;
    const id = stores.transaction((tx) => {
      const taken = tx.accounts.byEmail(email);
      if (taken !== undefined) this.#makeRoom(tx, caller, taken);
      const input = {
        email,
        name: shownName,
        role: 'Member' as const,
        passwordHash: null,
        isTemporary: false,
      };
      const made = addAccount(tx, this.#tools, { ...input, status: statusOf(active) });
      tx.directoryUsers.save(made, { externalId, isDeleted: false, isDeactivated: !active });
      const reason = `role Member, ${active ? 'Active' : 'Inactive'}, by SCIM`;
      audit.record(tx, 'user_created', { ...actorOf(caller), target: made, reason });
      return made;
    });
    return this.read(caller, id);
  }

  /**
   * Changes a user. Activating a user whom the provider deleted restores that user; any other change of such a user is
   * refused. Also throws a refusal if the user is a Super admin.
   */
  change(caller: Caller, id: string, change: DirectoryChange): DirectoryUser {
    const { stores, audit } = this.#tools;
    const name = change.name === undefined ? undefined : checkName(change.name);
    const status = change.active === undefined ? undefined : statusOf(change.active);
    return stores.transaction((tx) => {
      const target = this.#changeable(id);
      const entry = tx.directoryUsers.entryOf(id) ?? NO_ENTRY;
      if (isHidden(target, entry) && status !== 'Active') throw new Refusal('not_found');
      if (status === 'Active' && target.status === 'Inactive' && !entry.isDeactivated) throw putOutByHand();
      const externalId = change.externalId === undefined ? entry.externalId : change.externalId;
      const accountChange = { name, status };
      changeAccount(tx, target, accountChange);
      const isDeactivated = isDeactivatedBy(status, target, entry);
      tx.directoryUsers.save(id, { externalId, isDeleted: false, isDeactivated });
      const words = [changesOf(target, accountChange)];
      if (externalId !== entry.externalId) words.push('external id');
      const reason = `${words.filter((word) => word !== 'nothing').join(', ') || 'nothing'}, by SCIM`;
      audit.record(tx, 'user_updated', { ...actorOf(caller), target: id, reason });
      return { account: stores.accounts.byId(id) as Account, externalId };
    });
  }

  /** Makes the account Inactive and hides it from the provider. Throws a refusal if the user is a Super admin. */
  remove(caller: Caller, id: string): void {
    const { stores, audit } = this.#tools;
    stores.transaction((tx) => {
      const target = this.#changeable(id);
      const entry = tx.directoryUsers.entryOf(id) ?? NO_ENTRY;
      if (isHidden(target, entry)) throw new Refusal('not_found');
      changeAccount(tx, target, { status: 'Inactive' });
      const isDeactivated = isDeactivatedBy('Inactive', target, entry);
      tx.directoryUsers.save(id, { ...entry, isDeleted: true, isDeactivated });
      const reason = `${changesOf(target, { status: 'Inactive' })}, deleted by SCIM`;
      audit.record(tx, 'user_updated', { ...actorOf(caller), target: id, reason });
    });
  }

  /**
   * Returns the e-mail address of a user. Throws a refusal if the user is unknown, or is one whom the provider is not
   * allowed to change.
   */
  emailOf(_caller: Caller, id: string): string {
    return this.#changeable(id).email;
  }

  #changeable(id: string): Account {
    const account = this.#tools.stores.accounts.byId(id);
    if (account === undefined) throw new Refusal('not_found');
    if (account.role === 'Super admin') {
      throw new Refusal('role_exceeds_yours', 'SCIM does not change Super admins', {
        message: 'SCIM does not change Super admins',
      });
    }
    return account;
  }

  #makeRoom(tx: AccountTransaction, caller: Caller, taken: Account): void {
    const entry = tx.directoryUsers.entryOf(taken.id) ?? NO_ENTRY;
    if (!isHidden(taken, entry) || taken.role === 'Super admin') throw new Refusal('conflict');
    if (!entry.isDeactivated) throw putOutByHand();
    tx.accounts.remove(taken.id);
    const reason = 'deleted by SCIM before, and the address is used again';
    this.#tools.audit.record(tx, 'user_deleted', { ...actorOf(caller), target: taken.id, reason });
  }

  #usersOf(ids: readonly string[]): DirectoryUser[] {
    return ids.flatMap((id) => {
      const account = this.#tools.stores.accounts.byId(id);
      return (account && this.#shown(account)) ?? [];
    });
  }

  #shown(account: Account): DirectoryUser | undefined {
    const entry = this.#tools.stores.directoryUsers.entryOf(account.id) ?? NO_ENTRY;
    return isHidden(account, entry) ? undefined : { account, externalId: entry.externalId };
  }
}

function isHidden({ status }: Account, { isDeleted }: DirectoryEntry): boolean {
  return isDeleted && status === 'Inactive';
}

/** @returns whether the provider, and no one else, has made the account Inactive after it requests this status */
function isDeactivatedBy(wanted: Status | undefined, before: Account, entry: DirectoryEntry): boolean {
  if (wanted === 'Active') return false;
  return entry.isDeactivated || (wanted === 'Inactive' && before.status === 'Active');
}

/** Otherwise the provider would give back the account, with its old keys, to somebody whom an Admin put out. */
function putOutByHand(): Refusal {
  const message = 'SCIM does not activate a user whom somebody made Inactive by hand';
  return new Refusal('role_exceeds_yours', 'made Inactive by hand', { message });
}

function statusOf(active: boolean): Status {
  return active ? 'Active' : 'Inactive';
}
