import type { Role } from '@svc/contract';
import type { Account } from '../principal.ts';

export interface NewAccount extends Omit<Account, 'teams' | 'lastSignInAt' | 'signInEpoch' | 'sparedSignIn'> {
  /** Hash of the password, or null if the account has no password. */
  readonly passwordHash: string | null;
}

type AccountChange = Partial<
  Omit<Account, 'id' | 'email' | 'teams' | 'createdAt'> & { readonly passwordHash: string }
>;

/** Query that selects a page of accounts, newest first unless it says otherwise. */
interface AccountPage {
  /** Accounts that the caller may see, which are those with one of these roles and the account `self`. */
  readonly visible: { readonly roles: readonly Role[]; readonly self: string };
  /** Filter: part of the e-mail address (any letter case) or part of the name (any case of the letters A to Z). */
  readonly search?: string | undefined;
  /** Id of a team. If present, only members of this team are selected. */
  readonly teamId?: string | undefined;
  readonly order?: 'oldest first' | undefined;
  /** The last account on the previous page. Only accounts that come after it in the order are selected. */
  readonly before?: Pick<Account, 'id' | 'createdAt'> | undefined;
  readonly limit: number;
}

export interface AccountReader {
  byId(id: string): Account | undefined;
  byAccessKey(accessKey: string): Account | undefined;
  /** Finds an account by its e-mail address, in any letter case. */
  byEmail(email: string): Account | undefined;
  passwordHash(id: string): string | null;
  /** Returns all accounts, ordered by creation time and then by id. */
  list(): Account[];
  page(page: AccountPage): Account[];
  isEmpty(): boolean;
  /**
   * @returns whether any active account has the built-in password or a weak password from the environment (contract 4,
   * 5)
   */
  hasDefaultPassword(): boolean;
  countActive(role: Role): number;
  oldestActive(role: Role): Account | undefined;
}

export interface AccountStore extends AccountReader {
  /** Adds an account. Throws `Conflict` if the e-mail address (in any letter case) or the access key is taken. */
  insert(account: NewAccount): void;
  update(id: string, change: AccountChange): void;
  /** Removes the account with its sign-ins, keys, reset links and memberships. */
  remove(id: string): void;
}
