import type { Role, Status } from '@svc/contract';
import type { Account } from '../principal.ts';

export interface NewAccount {
  id: string;
  email: string;
  name: string;
  role: Role;
  status: Status;
  accessKey: string;
  passwordHash: string | null;
  temporaryPasswordUntil: number | null;
  defaultPassword: boolean;
  createdAt: number;
}

export type AccountChange = Partial<{
  name: string;
  role: Role;
  status: Status;
  accessKey: string;
  passwordHash: string;
  temporaryPasswordUntil: number | null;
  defaultPassword: boolean;
  lastSignInAt: number;
  signInEpoch: number;
  sparedSignIn: string | null;
}>;

/** Query of a page of accounts, newest first. */
export interface AccountPage {
  /** Accounts with these roles, and the account `self`. */
  readonly visible: { readonly roles: readonly Role[]; readonly self: string };
  /** Part of the e-mail address (any letter case) or the name (any case of the letters A to Z). */
  readonly search?: string | undefined;
  /** Members of this team. */
  readonly teamId?: string | undefined;
  /** Id of an account; selects those created before it. Selects none if it is unknown. */
  readonly before?: string | undefined;
  readonly limit: number;
}

export interface AccountReader {
  byId(id: string): Account | undefined;
  byAccessKey(accessKey: string): Account | undefined;
  /** In any letter case. */
  byEmail(email: string): Account | undefined;
  passwordHash(id: string): string | null;
  /** All accounts by creation time, then id. */
  list(): Account[];
  page(page: AccountPage): Account[];
  isEmpty(): boolean;
  /** @returns whether an active account has the built-in password or a weak one from the environment (contract 4, 5) */
  hasDefaultPassword(): boolean;
  countActive(role: Role): number;
  oldestActive(role: Role): Account | undefined;
}

export interface AccountStore extends AccountReader {
  /** Throws `Conflict` if the e-mail address (in any letter case) or the access key is taken. */
  insert(account: NewAccount): void;
  update(id: string, change: AccountChange): void;
  /** Removes the account with its sign-ins, keys, reset links and memberships. */
  remove(id: string): void;
}
