import { type Account, type ApiToken, type Cascade, newTemporaryPassword, Refusal } from '@svc/auth-core';
import { isEmailAddress, type Role, type Status } from '@svc/contract';
import { checkNewPassword, checkNotCommon } from '../passwords/password-rules.ts';
import { signOutEverywhere, TEMPORARY_PASSWORD_MS } from '../passwords/set-password.ts';
import type { AccountTransaction } from '../ports/stores.ts';
import type { PasswordTools } from '../ports/tools.ts';
import { BY_COMMAND_LINE } from '../rules/audit-actors.ts';
import { checkName } from '../rules/name.ts';
import { addAccount, changeAccount, changesOf } from './change-account.ts';

interface NewAccountOnHost {
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  /** Password of the account. If absent, the command generates a temporary password. */
  readonly password?: string | undefined;
}

/** Account after a command, and whether the command changed it. */
interface OperatedAccount {
  readonly account: Account;
  /** Whether the command changed anything. */
  readonly changed: boolean;
}

interface AccountWithPassword {
  readonly account: Account;
  readonly password: string;
}

interface Tools extends PasswordTools {
  /** Ends the tokens that were minted from a revoked key if `SVC_REVOCATION_CASCADE` is on. */
  readonly cascade?: Cascade;
}

/**
 * Commands of `svc admin`, which anyone with access to the data folder can run without an account. They make the same
 * changes as requests of a Super admin, but check no caller. A running server notices the changes, because every write
 * to the database increases the change counter that the server checks.
 */
export class BreakGlass {
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /** Lists all accounts by creation time. */
  accounts(): Account[] {
    return this.#tools.stores.accounts.list();
  }

  /**
   * Creates an account. The first account must be a Super admin. The server creates a Super admin at its start only
   * while there is no account, so a first account with another role would leave the lab without a Super admin.
   */
  async create(input: NewAccountOnHost): Promise<AccountWithPassword> {
    const { stores, audit } = this.#tools;
    const email = input.email.trim();
    if (!isEmailAddress(email)) throw new Refusal('invalid_email');
    const name = checkName(input.name);
    const { role } = input;
    const { password, passwordHash } = await this.#hashed(input.password);
    const isTemporary = input.password === undefined;
    return stores.transaction((tx) => {
      if (tx.accounts.isEmpty() && role !== 'Super admin') throw new Refusal('last_super_admin');
      const id = addAccount(tx, this.#tools, { email, name, role, passwordHash, isTemporary });
      audit.record(tx, 'user_created', by('create', id, `role ${role}`));
      return { account: this.#byId(tx, id), password };
    });
  }

  /**
   * Sets the password `given`, or a random one. The password is temporary, because the operator knows it and the owner
   * of the account therefore has to replace it. Sign-ins, bearer tokens and reset links of the account end (contract
   * 4).
   */
  async resetPassword(email: string, given: string | undefined): Promise<AccountWithPassword> {
    const { stores, clock, audit } = this.#tools;
    const { password, passwordHash } = await this.#hashed(given);
    return stores.transaction((tx) => {
      const { id } = this.#find(tx, email);
      tx.accounts.update(id, {
        passwordHash,
        temporaryPasswordUntil: clock.now() + TEMPORARY_PASSWORD_MS,
        defaultPassword: false,
      });
      signOutEverywhere(tx, this.#byId(tx, id));
      audit.record(tx, 'authn_password_change', by('reset-password', id));
      return { account: this.#byId(tx, id), password };
    });
  }

  /**
   * Changes the role of an account.
   * @param may called in the transaction before the change, with the unchanged account; throws to prevent the change
   */
  setRole(command: string, email: string, role: Role, may: (account: Account) => void): OperatedAccount {
    return this.#change(command, email, { role }, may);
  }

  /**
   * Changes the status of an account. The status Inactive ends the sign-ins and reset links of the account. Throws a
   * refusal if the last active Super admin would become Inactive.
   */
  setStatus(command: string, email: string, status: Status): OperatedAccount {
    return this.#change(command, email, { status });
  }

  /**
   * Lists the keys and tokens that have not expired, newest first, of one account or, without `email`, of all accounts.
   */
  apiTokens(email?: string): (ApiToken & { readonly owner: string })[] {
    const { stores, clock } = this.#tools;
    const now = clock.now();
    const all =
      email === undefined
        ? stores.apiTokens.listAll()
        : stores.apiTokens.listOf(this.#find(stores, email).id);
    return all
      .filter(({ expiresAt }) => expiresAt === null || now < expiresAt)
      .map((token) => ({ ...token, owner: stores.accounts.byId(token.ownerId)?.email ?? '' }));
  }

  /** Revokes an API key or Profile token, and ends the sign-ins that were opened with it. */
  revoke(id: string): ApiToken {
    const { stores, audit } = this.#tools;
    return stores.transaction((tx) => {
      const token = tx.apiTokens.byId(id);
      if (token === undefined || !tx.apiTokens.revoke(id)) throw new Refusal('not_found');
      this.#tools.cascade?.keyRevoked(tx, token, false);
      audit.record(tx, 'authn_token_revoked', by('revoke', id));
      return token;
    });
  }

  #change(
    command: string,
    email: string,
    change: { readonly role?: Role; readonly status?: Status },
    may: (account: Account) => void = () => undefined,
  ): OperatedAccount {
    const { stores, audit } = this.#tools;
    return stores.transaction((tx) => {
      const target = this.#find(tx, email);
      may(target);
      const isSo =
        (change.role ?? target.role) === target.role && (change.status ?? target.status) === target.status;
      if (isSo) return { account: target, changed: false };
      changeAccount(tx, target, change);
      audit.record(tx, 'user_updated', by(command, target.id, changesOf(target, change)));
      return { account: this.#byId(tx, target.id), changed: true };
    });
  }

  /**
   * Hashes the given password, or a new random one. Call it before the transaction begins, because hashing takes time
   * and an open transaction makes requests wait.
   */
  async #hashed(given: string | undefined): Promise<{ password: string; passwordHash: string }> {
    const { random, hasher, isCommonPassword } = this.#tools;
    if (given !== undefined) {
      checkNewPassword(given);
      checkNotCommon(given, isCommonPassword);
    }
    const password = given ?? newTemporaryPassword(random);
    return { password, passwordHash: await hasher.hash(password) };
  }

  #find(
    { accounts }: Pick<AccountTransaction, 'accounts'> | PasswordTools['stores'],
    email: string,
  ): Account {
    const account = accounts.byEmail(email);
    if (account === undefined) throw new Refusal('not_found');
    return account;
  }

  #byId({ accounts }: AccountTransaction, id: string): Account {
    const account = accounts.byId(id);
    if (account === undefined) throw new Refusal('not_found');
    return account;
  }
}

function by(command: string, target: string, what?: string) {
  const reason = `svc admin ${command} on the host`;
  return { ...BY_COMMAND_LINE, target, reason: what === undefined ? reason : `${reason}: ${what}` };
}
