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

/** A page of accounts, those made last first. */
export interface AccountPage {
  /** Accounts of these roles, and the one account `self`. */
  readonly visible: { readonly roles: readonly Role[]; readonly self: string };
  /** Part of the e-mail address (any letter case) or the name (any case of the letters A to Z). */
  readonly search?: string | undefined;
  /** Members of this team. */
  readonly teamId?: string | undefined;
  /** Id of an account: only those made before it; none before an unknown one. */
  readonly before?: string | undefined;
  readonly limit: number;
}

export interface AccountReader {
  byId(id: string): Account | undefined;
  byAccessKey(accessKey: string): Account | undefined;
  /** Any letter case. */
  byEmail(email: string): Account | undefined;
  passwordHash(id: string): string | null;
  /** By creation time, then id. */
  list(): Account[];
  page(page: AccountPage): Account[];
  isEmpty(): boolean;
  /** Whether an active account still has the built-in password (contract 5). */
  hasDefaultPassword(): boolean;
  countActive(role: Role): number;
  oldestActive(role: Role): Account | undefined;
}

export interface AccountStore extends AccountReader {
  /** Throws `Conflict` when the e-mail (any letter case) or the access key is taken. */
  insert(account: NewAccount): void;
  update(id: string, change: AccountChange): void;
  /** Removes the account with its sign-ins, keys, reset links and memberships. */
  remove(id: string): void;
}
