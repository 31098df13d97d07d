import { type Account, Refusal, type RequestOrigin } from '@svc/auth-core';
import { isUsablePassword } from '@svc/settings';
import type { AccountTransaction } from '../ports/stores.ts';
import type { AccountTools } from '../ports/tools.ts';
import { refusedFrom } from '../rules/audit-actors.ts';
import type { HashingPlace } from '../rules/password-hasher.ts';
import type { SignInProof } from '../sign-in/sign-in.ts';
import { hashCost } from './password-rules.ts';
import { USED_TEMPORARY_PASSWORD } from './set-password.ts';

type Tools = Pick<AccountTools, 'stores' | 'clock' | 'audit' | 'hasher'>;

/**
 * Verifies passwords. An unknown address, a wrong password, an inactive account and an expired temporary password get
 * the same refusal after the same work, so that clients cannot tell them apart (specification 5.9.4, contract 4).
 */
export class PasswordVerifier {
  readonly #tools: Tools;
  readonly #cost: number;
  readonly #superAdminsOnly: boolean;
  /**
   * Highest bcrypt cost of the hashes compared so far. Every comparison is made to take as long as one at this cost. A
   * comparison for an unknown account therefore takes as long as one for a known account.
   */
  #workCost: number;

  /**
   * @param options if `superAdminsOnly` is true, only Super admins can sign in with a password (break-glass, contract
   * 10.1)
   */
  constructor(
    tools: Tools,
    { bcryptCost, superAdminsOnly = false }: { bcryptCost: number; superAdminsOnly?: boolean },
  ) {
    this.#tools = tools;
    this.#cost = bcryptCost;
    this.#superAdminsOnly = superAdminsOnly;
    this.#workCost = bcryptCost;
  }

  /**
   * Verifies a password. Throws the refusal `invalid credentials` if the sign-in is not allowed, for any reason, and
   * the refusal `overloaded` if too many passwords are waiting to be hashed.
   */
  async verify(
    email: string,
    password: string,
    from: RequestOrigin,
    place: HashingPlace,
  ): Promise<SignInProof> {
    const { accounts } = this.#tools.stores;
    const account = accounts.byEmail(email);
    const stored = account === undefined ? null : accounts.passwordHash(account.id);
    const matches = await this.#compare(password, stored, place);
    const refusal = this.#refusalReason(account, stored, matches);
    if (account === undefined || refusal !== null) return this.#refuse(account, refusal, from);
    const rehashed = await this.#rehash(password, stored as string);
    const confirm = (tx: AccountTransaction): void => {
      // Check again, because the account may have been changed or deactivated while the password was being hashed.
      const reason = this.#refusalReason(account, stored, matches);
      if (reason !== null) this.#refuse(account, reason, from);
      const used = account.temporaryPasswordUntil === null ? null : USED_TEMPORARY_PASSWORD;
      tx.accounts.update(account.id, { ...rehashed, temporaryPasswordUntil: used });
    };
    return { account, confirm };
  }

  /**
   * Compares a password with a stored hash. The comparison takes the same time for every account, and also if there is
   * no account, so that the time does not show which accounts exist (contract 4).
   */
  async #compare(password: string, stored: string | null, place: HashingPlace): Promise<boolean> {
    const usable = isUsablePassword(password);
    if (stored !== null) this.#workCost = Math.max(this.#workCost, hashCost(stored));
    const hash = stored ?? decoyHash(this.#workCost);
    const matches = await this.#tools.hasher.matches(usable ? password : '', hash, {
      place,
      workCost: this.#workCost,
    });
    return matches && usable && stored !== null;
  }

  /**
   * Hashes the password again if the configured bcrypt cost differs from the cost of the stored hash.
   * @returns the new hash, or an empty object if none is needed or too many passwords are waiting to be hashed
   */
  async #rehash(password: string, stored: string): Promise<{ passwordHash?: string }> {
    if (hashCost(stored) === this.#cost) return {};
    try {
      return { passwordHash: await this.#tools.hasher.hash(password) };
    } catch (error) {
      if (error instanceof Refusal) return {};
      throw error;
    }
  }

  #refuse(account: Account | undefined, reason: string | null, from: RequestOrigin): never {
    this.#tools.audit.recordRefusal('authn_login_fail', {
      ...refusedFrom(from),
      triedAccount: account?.id ?? null,
      reason: reason ?? 'unknown e-mail',
    });
    throw new Refusal('invalid credentials', reason ?? 'unknown e-mail');
  }

  /**
   * @returns why the sign-in is refused, or null if it is allowed. Call it after the comparison, because the account
   * may have changed while the comparison ran.
   */
  #refusalReason(before: Account | undefined, stored: string | null, matches: boolean): string | null {
    const { stores, clock } = this.#tools;
    if (before === undefined) return 'unknown e-mail';
    // The account has no hash, so the password was compared with a decoy, and the result of that comparison is ignored.
    if (stored === null) return 'account has no password';
    if (!matches) return 'wrong password';
    const now = stores.accounts.byId(before.id);
    if (now === undefined || stores.accounts.passwordHash(before.id) !== stored)
      return 'account changed meanwhile';
    if (now.status !== 'Active') return 'account inactive';
    if (this.#superAdminsOnly && now.role !== 'Super admin') return 'passwords sign in Super admins alone';
    const lapsed = now.temporaryPasswordUntil !== null && clock.now() >= now.temporaryPasswordUntil;
    return lapsed ? 'temporary password lapsed' : null;
  }
}

/**
 * @returns a well-formed hash that belongs to no known password. Comparing a password with this hash takes as long as
 * comparing it with a real one.
 */
function decoyHash(cost: number): string {
  return `$2b$${String(cost).padStart(2, '0')}$C6UzMDM.H6dfI/f/IKcEeO7ZUq0a7WbJvFqIyDBL6vSDbDQPVbO7m`;
}
