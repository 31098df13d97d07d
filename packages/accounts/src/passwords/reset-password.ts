import type { Account, Caller } from '@svc/auth-core';
import {
  actorOf,
  isOpaqueSecret,
  newOpaqueSecret,
  origin,
  Refusal,
  type RequestOrigin,
  refuseAgents,
  secretHash,
  senderOf,
} from '@svc/auth-core';
import type { Attempts } from '../attempts/attempts.ts';
import type { ResetLink } from '../ports/reset-links.ts';
import type { AccountTransaction } from '../ports/stores.ts';
import type { PasswordTools } from '../ports/tools.ts';
import { refusedFrom } from '../rules/audit-actors.ts';
import { otherAccount } from '../rules/change-user.ts';
import { checkNewPassword, checkNotCommon } from './password-rules.ts';
import { ownPassword, signOutEverywhere } from './set-password.ts';
import { Turns } from './turns.ts';

/** A new reset link with its token. The database stores only the hash of the token. */
export interface IssuedResetLink {
  readonly account: Account;
  readonly token: string;
  readonly expiresAt: number;
}

export interface ResetRequest {
  /** E-mail address as the client sent it. There may be no account with this address. */
  readonly email: string;
  readonly from: RequestOrigin;
}

interface Options {
  readonly linkTtlMs: number;
  /**
   * Counts the links per account. A limit per IP address would not be enough, because an attacker with many addresses
   * could flood the owner's mailbox.
   */
  readonly perAccount: Attempts;
  /**
   * Whether only Super admins may sign in with a password. If true, no other account gets a reset link (contract 10.1).
   */
  readonly superAdminsOnly?: boolean;
}

/** Creates and redeems password reset links (specification 5.10). */
export class ResetPassword {
  readonly #tools: PasswordTools;
  readonly #options: Options;
  /**
   * Queues of resets by the hash of the link's token. Requests with the same link run one after the other, so that only
   * one of them hashes a password.
   */
  readonly #turns = new Turns();

  constructor(tools: PasswordTools, options: Options) {
    this.#tools = tools;
    this.#options = options;
  }

  /**
   * Creates reset links, in one transaction, for the requests whose account may get one: for example, it must exist and
   * be Active. Each request is recorded in the audit trail.
   *
   * @param makeLinks false if mail cannot be sent, so that no links are created
   */
  answerRequests(
    requests: readonly ResetRequest[],
    { makeLinks }: { makeLinks: boolean },
  ): IssuedResetLink[] {
    const { stores, audit } = this.#tools;
    return stores.transaction((tx) => {
      const issued: IssuedResetLink[] = [];
      for (const { email, from } of requests) {
        const account = stores.accounts.byEmail(email);
        const refused = makeLinks ? this.#reasonAgainst(tx, account) : 'no mail is sent';
        if (account !== undefined && refused === null) issued.push(this.#issue(tx, account));
        const target = account?.id ?? null;
        if (refused === null) audit.record(tx, 'authn_reset_requested', { ...origin(from), target });
        else audit.recordRefusal('authn_reset_requested', { ...refusedFrom(from), target, reason: refused });
      }
      return issued;
    });
  }

  /**
   * Creates a link for `POST /users/:id/reset-link`. An Admin is allowed to create links for Members only, and a Super
   * admin for every account but their own (specification 5.10.2). Confirms the e-mail address of the account.
   */
  issueFor(caller: Caller, id: string): IssuedResetLink {
    refuseAgents(caller);
    const { stores, audit } = this.#tools;
    return stores.transaction((tx) => {
      const target = otherAccount(stores, caller, id);
      if (target.status !== 'Active') throw new Refusal('user_not_active');
      const reason = tx.identities.isEmailUnconfirmed(id) ? 'confirms the e-mail address' : null;
      tx.identities.setEmailUnconfirmed(id, false);
      audit.record(tx, 'authn_reset_link_created', { ...actorOf(caller), target: id, reason });
      return this.#issue(tx, target);
    });
  }

  /** Throws a refusal if the token belongs to no valid link. The link is not spent by this check. */
  check(token: string): void {
    if (this.#find(token) === undefined) throw new Refusal('invalid or expired token');
  }

  /**
   * Sets the password, spends the link, ends every sign-in and cancels the other links, all in one transaction. If
   * several requests use one link at the same time, only one succeeds (specification 5.10.4). A refused password does
   * not spend the link.
   */
  async reset(token: string, newPassword: string, from: RequestOrigin): Promise<void> {
    checkNewPassword(newPassword);
    const key = secretHash(token);
    await this.#turns.take(key, () => this.#reset(token, newPassword, from));
  }

  async #reset(token: string, newPassword: string, from: RequestOrigin): Promise<void> {
    const { stores, hasher, audit, isCommonPassword } = this.#tools;
    if (this.#find(token) === undefined) this.#refuse(from);
    checkNotCommon(newPassword, isCommonPassword);
    const passwordHash = await hasher.hash(newPassword, { known: true, sender: senderOf(from) });
    stores.transaction((tx) => {
      const found = this.#find(token) ?? this.#refuse(from);
      tx.accounts.update(found.account.id, ownPassword(newPassword, passwordHash));
      signOutEverywhere(tx, found.account);
      const { id } = found.account;
      audit.record(tx, 'authn_password_change', {
        ...origin(from),
        actor: id,
        target: id,
        reason: 'reset link',
      });
    });
  }

  #refuse(from: RequestOrigin): never {
    const reason = 'reset link unknown, used or expired';
    this.#tools.audit.recordRefusal('authn_password_change_fail', { ...refusedFrom(from), reason });
    throw new Refusal('invalid or expired token', reason);
  }

  #find(token: string): { link: ResetLink; account: Account } | undefined {
    if (!isOpaqueSecret(token)) return undefined;
    const { stores, clock } = this.#tools;
    const link = stores.resetLinks.byHash(secretHash(token));
    if (link === undefined || clock.now() >= link.expiresAt) return undefined;
    const account = stores.accounts.byId(link.accountId);
    return account?.status === 'Active' ? { link, account } : undefined;
  }

  #reasonAgainst({ identities }: AccountTransaction, account: Account | undefined): string | null {
    if (account === undefined) return 'unknown e-mail';
    if (account.status !== 'Active') return 'account inactive';
    if (identities.isEmailUnconfirmed(account.id)) return 'e-mail address not confirmed';
    const { perAccount, superAdminsOnly } = this.#options;
    if (superAdminsOnly && account.role !== 'Super admin') return 'passwords sign in Super admins alone';
    return perAccount.add(account.id).count > perAccount.limit.attempts ? 'too many for this account' : null;
  }

  #issue(tx: AccountTransaction, account: Account): IssuedResetLink {
    const { clock, random } = this.#tools;
    const token = newOpaqueSecret(random);
    const createdAt = clock.now();
    const expiresAt = createdAt + this.#options.linkTtlMs;
    const link = { id: random.uuid(), accountId: account.id, createdAt, expiresAt };
    tx.resetLinks.insert(link, secretHash(token));
    return { account, token, expiresAt };
  }
}
