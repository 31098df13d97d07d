import { type Account, origin, type RequestOrigin } from '@svc/auth-core';
import { exactEmailKey, isEmailAddress } from '@svc/contract';
import type { AccountTransaction } from '../ports/stores.ts';
import type { AccountTools } from '../ports/tools.ts';
import { refusedFrom } from '../rules/audit-actors.ts';
import type { OpenedSignIn, SignIns } from '../sign-in/sign-in.ts';
import { addAccount, changeAccount, changesOf } from '../users/change-account.ts';
import { linkIdentity, type PendingLink } from './link-identity.ts';
import { type GroupRules, type MappedGroups, mapGroups } from './map-groups.ts';
import { endSignIn } from './provider-logout.ts';
import type { ProviderPerson } from './provider-person.ts';

/** Rules of the operator about who may sign in through the OpenID provider (contract 10.1). */
export interface ProviderRules extends GroupRules {
  readonly signUp: 'off' | 'mapped';
  readonly link: 'password' | 'verified-email';
}

/** Result of a sign-in through an OpenID provider. Only the audit trail gets the reason of a refusal. */
export type ProviderSignInResult =
  | { readonly kind: 'opened'; readonly opened: OpenedSignIn }
  /**
   * No sign-in yet: the owner of the account first has to sign in with the password, which links the person to the
   * account.
   */
  | { readonly kind: 'link'; readonly link: PendingLink }
  | { readonly kind: 'refused'; readonly problem: 'oidc_no_account' | 'oidc_failed' };

interface Tools extends Pick<AccountTools, 'stores' | 'clock' | 'random' | 'audit' | 'log' | 'cascade'> {
  readonly signIns: SignIns;
}

type Mapped = Extract<MappedGroups, { kind: 'mapped' }>;

/** Thrown to roll back the transaction when the person is not allowed to sign in. */
class NotAdmitted extends Error {
  readonly problem: 'oidc_no_account' | 'oidc_failed';
  readonly account: Account | undefined;

  constructor(problem: 'oidc_no_account' | 'oidc_failed', reason: string, account?: Account) {
    super(reason);
    this.problem = problem;
    this.account = account;
  }
}

const LONGEST_NAME = 100;
/**
 * Maximum number of different warnings that are logged. Each is logged once, for example that a configured team does
 * not exist.
 */
const MOST_WARNINGS = 1000;

/**
 * Signs in people whom the OpenID provider has authenticated. Issuer and subject identify a person. The e-mail address
 * does not, because people can choose their address at many providers. The address only suggests which account the
 * person could be linked to.
 */
export class ProviderSignIn {
  readonly #tools: Tools;
  readonly #rules: ProviderRules;
  readonly #warned = new Set<string>();

  constructor(tools: Tools, rules: ProviderRules) {
    this.#tools = tools;
    this.#rules = rules;
  }

  /**
   * Finds, links or creates the account of a person who signed in at the provider, and opens a sign-in. Also gives the
   * account the role and teams that belong to the person's groups at the provider. All changes are made in one
   * transaction.
   */
  open(person: ProviderPerson, from: RequestOrigin, userAgent: string | null): ProviderSignInResult {
    try {
      return this.#tools.stores.transaction((tx) => this.#open(tx, person, from, userAgent));
    } catch (error) {
      if (!(error instanceof NotAdmitted)) throw error;
      this.#recordRefusal(error.message, error.account, from);
      return { kind: 'refused', problem: error.problem };
    }
  }

  #recordRefusal(reason: string, account: Account | undefined, from: RequestOrigin): void {
    this.#tools.audit.recordRefusal('authn_login_fail', {
      ...refusedFrom(from),
      triedAccount: account?.id ?? null,
      reason: `provider: ${reason}`,
    });
  }

  #open(
    tx: AccountTransaction,
    person: ProviderPerson,
    from: RequestOrigin,
    userAgent: string | null,
  ): ProviderSignInResult {
    const { issuer, subject } = person;
    const found = this.#accountOf(tx, person);
    if (found !== undefined && found.account.status !== 'Active')
      throw new NotAdmitted('oidc_no_account', 'account inactive', found.account);
    const mapped = this.#mapped(person, found?.account);
    if (this.#rules.roles !== null && mapped.role === null) {
      if (found?.isLinked) this.#takeAway(tx, person, found.account, mapped, from);
      const isMissing = person.groups.known === null;
      const reason = isMissing ? 'the claim with the groups is missing' : 'no group is mapped to a role';
      this.#recordRefusal(reason, found?.account, from);
      return { kind: 'refused', problem: 'oidc_no_account' };
    }
    if (found !== undefined && !found.isLinked && !this.#linksByEmail(tx, person, found.account)) {
      this.#recordRefusal('not linked yet', found.account, from);
      return { kind: 'link', link: { issuer, subject, accountId: found.account.id } };
    }
    const account = found?.account ?? this.#signUp(tx, person, mapped, from);
    const proof = found === undefined ? 'sign-up' : 'verified e-mail';
    const link = { issuer, subject, accountId: account.id };
    const identity = linkIdentity(tx, this.#tools, link, { proof, from });
    if (identity === undefined) throw new NotAdmitted('oidc_no_account', 'linked to another account');
    this.#confirmEmail(tx, account, person, from);
    this.#applyGroups(tx, account, mapped, from);
    tx.identities.noteSignIn(identity.id, this.#tools.clock.now());
    const opened = this.#tools.signIns.openWithin(tx, account, {
      ...{ method: 'provider', from, userAgent },
      // A sign-in is as fresh as the proof at the provider, whose session may be days old (contract 10).
      provenAt: person.authenticatedAt,
    });
    tx.identities.attachSignIn({ signInId: opened.id, ...link, sid: person.sid });
    return { kind: 'opened', opened };
  }

  /** @returns the account that the person is linked to, otherwise the account with the same e-mail address */
  #accountOf(
    { identities, accounts }: AccountTransaction,
    { issuer, subject, email }: ProviderPerson,
  ): { readonly account: Account; readonly isLinked: boolean } | undefined {
    const identity = identities.bySubject(issuer, subject);
    const linked = identity && accounts.byId(identity.accountId);
    if (linked !== undefined) return { account: linked, isLinked: true };
    const sameEmail = email === null ? undefined : accounts.byEmail(email);
    if (sameEmail === undefined) return undefined;
    // Refuse if another person at the provider is already linked to the account, which happens when an e-mail address
    // is given to a new owner.
    if (identities.listOf(sameEmail.id).length > 0)
      throw new NotAdmitted('oidc_no_account', 'account is linked to another person', sameEmail);
    return { account: sameEmail, isLinked: false };
  }

  #mapped({ groups }: ProviderPerson, account: Account | undefined): Mapped {
    const mapped = mapGroups(groups, this.#rules);
    if (mapped.kind === 'unknown') {
      this.#tools.log.warn(
        'A sign-in through the provider was refused: the person has too many groups for a token (overage), so their ' +
          'role is not known. Let the provider send only groups that are assigned to this application',
      );
      throw new NotAdmitted('oidc_failed', 'too many groups for a token (overage)', account);
    }
    return mapped;
  }

  #linksByEmail({ identities }: AccountTransaction, person: ProviderPerson, account: Account): boolean {
    return (
      this.#rules.link === 'verified-email' &&
      person.isEmailVerified === true &&
      exactEmailKey(person.email ?? '') === exactEmailKey(account.email) &&
      account.role !== 'Super admin' &&
      identities.listOf(account.id).length === 0
    );
  }

  /**
   * Confirms the address of the account if the provider has verified that it belongs to the person. An account whose
   * sign-up did not state this then gets reset links.
   */
  #confirmEmail(tx: AccountTransaction, account: Account, person: ProviderPerson, from: RequestOrigin): void {
    const isVerified =
      person.isEmailVerified === true && exactEmailKey(person.email ?? '') === exactEmailKey(account.email);
    if (!isVerified || !tx.identities.isEmailUnconfirmed(account.id)) return;
    tx.identities.setEmailUnconfirmed(account.id, false);
    this.#tools.audit.record(tx, 'user_updated', {
      ...origin(from),
      actor: account.id,
      target: account.id,
      reason: 'e-mail address confirmed, by the provider',
    });
  }

  /** Creates an account without a password for a person whose groups at the provider are mapped to a role or team. */
  #signUp(tx: AccountTransaction, person: ProviderPerson, mapped: Mapped, from: RequestOrigin): Account {
    const { email } = person;
    const isMapped = mapped.role !== null || mapped.teams.size > 0;
    if (this.#rules.signUp === 'off') throw new NotAdmitted('oidc_no_account', 'unknown person');
    if (!isMapped) throw new NotAdmitted('oidc_no_account', 'unknown person without a mapped group');
    if (email === null || !isEmailAddress(email))
      throw new NotAdmitted('oidc_no_account', 'unknown person without an e-mail address');
    // Refuse an unverified address. Otherwise a person could create an account under the address of someone else.
    if (person.isEmailVerified === false)
      throw new NotAdmitted('oidc_no_account', 'unknown person with an unverified e-mail address');
    const role = mapped.role ?? 'Member';
    const id = addAccount(tx, this.#tools, {
      email,
      name: nameOf(person, email),
      role,
      passwordHash: null,
      isTemporary: false,
    });
    // Until somebody confirms that the address belongs to the person, its owner must not get a link to the account.
    if (person.isEmailVerified !== true) tx.identities.setEmailUnconfirmed(id, true);
    this.#tools.audit.record(tx, 'user_created', {
      ...origin(from),
      actor: id,
      target: id,
      reason: `role ${role}, signed up through ${person.issuer}`,
    });
    return tx.accounts.byId(id) as Account;
  }

  #applyGroups(tx: AccountTransaction, account: Account, mapped: Mapped, from: RequestOrigin): void {
    const role = this.#roleFor(tx, account, mapped);
    const teamIds = this.#teamsFor(tx, account, mapped);
    const change = {
      ...(role === account.role ? {} : { role }),
      ...(teamIds === undefined ? {} : { teamIds }),
    };
    if (Object.keys(change).length === 0) return;
    changeAccount(tx, account, change);
    this.#tools.audit.record(tx, 'user_updated', {
      ...origin(from),
      actor: account.id,
      target: account.id,
      reason: `${changesOf(account, change)}, by groups of the provider`,
    });
  }

  /**
   * Removes the rights of a person who is in no group that is mapped to a role: sets the role to Member, sets the
   * mapped teams by the person's groups, and ends the sign-ins and tokens that the person got through the provider.
   * Refusing the new sign-in is not enough, because earlier tokens would keep the role.
   */
  #takeAway(
    tx: AccountTransaction,
    { issuer, subject }: ProviderPerson,
    account: Account,
    mapped: Mapped,
    from: RequestOrigin,
  ): void {
    this.#applyGroups(tx, account, { ...mapped, role: 'Member' }, from);
    for (const { signInId } of tx.identities.signInsOf({ issuer, sid: null, subject }))
      endSignIn(tx, this.#tools.cascade, { signInId, accountId: account.id });
  }

  /**
   * Returns the role for the account. The last active Super admin keeps the role whatever the groups say, so that the
   * lab stays manageable (contract 10.1).
   */
  #roleFor({ accounts }: AccountTransaction, account: Account, { role }: Mapped): Account['role'] {
    if (this.#rules.roles === null || role === null) return account.role;
    const isLast = account.role === 'Super admin' && accounts.countActive('Super admin') <= 1;
    if (!isLast) return role;
    this.#warnOnce(
      'last Super admin',
      'The last active Super admin signed in through the provider and keeps the role, whatever their groups are',
    );
    return account.role;
  }

  /** @returns the ids of all teams that the account has after the sign-in, or undefined if its teams do not change */
  #teamsFor({ teams }: AccountTransaction, account: Account, mapped: Mapped): string[] | undefined {
    const names = new Set((this.#rules.teams ?? []).map(({ team }) => team));
    const held = new Set(account.teams.map(({ id }) => id));
    const wanted = new Set(held);
    for (const name of names) {
      const team = teams.byName(name);
      if (team === undefined) {
        this.#warnOnce(name, `SVC_OIDC_TEAMS names a team that does not exist: ${JSON.stringify(name)}`);
      } else if (mapped.teams.has(name)) wanted.add(team.id);
      else wanted.delete(team.id);
    }
    const isSame = wanted.size === held.size && [...wanted].every((id) => held.has(id));
    return isSame ? undefined : [...wanted];
  }

  #warnOnce(key: string, message: string): void {
    if (this.#warned.has(key) || this.#warned.size >= MOST_WARNINGS) return;
    this.#warned.add(key);
    this.#tools.log.warn(message);
  }
}

/**
 * @returns the person's name from the provider, without characters that the server does not allow in names, or the
 * e-mail address if no name remains
 */
function nameOf({ name }: ProviderPerson, email: string): string {
  const plain = (name ?? '').replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/gu, ' ').trim() || email;
  return [...plain].slice(0, LONGEST_NAME).join('').trim();
}
