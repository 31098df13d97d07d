import type { Account, Caller, RequestOrigin, SignIn } from '@svc/auth-core';
import { newOpaqueSecret, origin, Refusal, secretHash, slidTo } from '@svc/auth-core';
import type { AccountTransaction } from '../ports/stores.ts';
import type { AccountTools } from '../ports/tools.ts';

const LONGEST_USER_AGENT = 256;

export interface OpenedSignIn {
  /** Id of the sign-in's record. Unlike the cookie, the id is not secret. */
  readonly id: string;
  /** Value of the sign-in cookie. The database stores only its hash. */
  readonly cookie: string;
  readonly account: Account;
  /** Lifetime of the cookie without further requests, in ms. */
  readonly lifetimeMs: number;
}

/**
 * Fields that limit a sign-in: its scopes, latest expiry, team and trust rule (rule that lets CI jobs sign in), and the
 * credentials whose revocation ends it. For a sign-in that was opened with a key or bearer token, they come from this
 * key or token (contract 2, `/auth/dashboard-session`).
 */
export type SignInBounds = Pick<SignIn, 'scopes' | 'until' | 'apiTokenId' | 'teamId' | 'rule' | 'openedWith'>;

/** How a person proved to own the account, and from where. */
interface SignInDetails {
  /** Name of the method, for the audit trail. */
  readonly method: string;
  readonly from: RequestOrigin;
  readonly userAgent: string | null;
  /**
   * Time (ms since 1970) of the proof, or null if it is not known, so that the sign-in is not fresh. By default, now.
   */
  readonly provenAt?: number | null;
  /** Id of the passkey with which the person signed in, if any. */
  readonly openedWith?: readonly string[];
}

const UNBOUNDED: SignInBounds = {
  scopes: null,
  until: null,
  apiTokenId: null,
  teamId: null,
  rule: null,
  openedWith: [],
};

/** Proof that a client owns an account, by any method of signing in. */
export interface SignInProof {
  readonly account: Account;
  /**
   * Checks the proof again in the transaction that opens the sign-in. Throws a refusal if the proof is no longer valid.
   * Otherwise it records that the proof was used.
   */
  confirm(tx: AccountTransaction): void;
}

type Tools = Pick<AccountTools, 'stores' | 'clock' | 'random' | 'audit'>;

/** Opens and ends dashboard sign-ins. Every method of signing in calls `open`. */
export class SignIns {
  readonly #tools: Tools;
  readonly #ttlMs: number;

  constructor(tools: Tools, { ttlMs }: { ttlMs: number }) {
    this.#tools = tools;
    this.#ttlMs = ttlMs;
  }

  /**
   * Opens a sign-in for a person who has proved to own the account.
   * @param method how the person proved it, for the audit trail; for a passkey also the id of the passkey, whose removal
   * ends the sign-in
   */
  open(
    proof: SignInProof,
    method: string | { readonly passkeyId: string },
    from: RequestOrigin,
    userAgent: string | null,
  ): OpenedSignIn {
    const how =
      typeof method === 'string'
        ? { method }
        : { method: `passkey ${method.passkeyId}`, openedWith: [method.passkeyId] };
    return this.#tools.stores.transaction((tx) => {
      proof.confirm(tx);
      return this.openWithin(tx, proof.account, { ...how, from, userAgent });
    });
  }

  /**
   * Opens a sign-in. The calling flow must have verified that the client owns the account, and opens the transaction.
   */
  openWithin(
    tx: AccountTransaction,
    account: Account,
    { method, from, userAgent, provenAt = this.#tools.clock.now(), openedWith = [] }: SignInDetails,
  ): OpenedSignIn {
    if (tx.accounts.byId(account.id)?.status !== 'Active') {
      throw new Refusal('invalid credentials', 'account inactive');
    }
    tx.accounts.update(account.id, { lastSignInAt: this.#tools.clock.now() });
    this.#tools.audit.record(tx, 'authn_login_success', {
      actor: account.id,
      reason: method,
      ...origin(from),
    });
    return this.#insert(tx, account, { ...UNBOUNDED, provenAt, openedWith }, userAgent);
  }

  /** Lists the caller's own sign-ins that have not expired, newest first. */
  list(caller: Caller): SignIn[] {
    const now = this.#tools.clock.now();
    return this.#tools.stores.signIns
      .listOf(caller.account.id)
      .filter((signIn) => now < signIn.expiresAt && isOwn(caller, signIn));
  }

  /** Ends a sign-in of the caller. Throws the same refusal for a sign-in of anyone else as for an unknown one. */
  end(caller: Caller, id: string): void {
    this.#tools.stores.transaction((tx) => {
      this.checkOwn(caller, id);
      tx.signIns.end(id);
      this.#tools.audit.record(tx, 'authn_logout', {
        actor: caller.account.id,
        target: id,
        ...origin(caller.from),
      });
    });
  }

  /** Throws the refusal for an unknown sign-in if the sign-in is not the caller's own. */
  checkOwn(caller: Caller, id: string): void {
    const signIn = this.#tools.stores.signIns.byId(id);
    if (signIn === undefined || !isOwn(caller, signIn)) throw new Refusal('not_found');
  }

  /**
   * Opens a sign-in with the caller's key or bearer token. `bounds` limits the sign-in to the rights and lifetime of
   * this key or token.
   */
  openBounded(
    tx: AccountTransaction,
    caller: Caller,
    bounds: SignInBounds,
    userAgent: string | null,
  ): OpenedSignIn {
    this.#tools.audit.record(tx, 'authn_login_success', {
      actor: caller.account.id,
      reason: `opened with a ${caller.credential.kind}`,
      ...origin(caller.from),
    });
    // A sign-in that was opened with a key or token gets no time, because it does not prove that a person is present
    // (contract 10).
    return this.#insert(tx, caller.account, { ...bounds, provenAt: null }, userAgent);
  }

  /** Signs out the browser with this cookie. An unknown cookie has no effect. */
  endByCookie(cookie: string, from: RequestOrigin): void {
    const signIn = this.#tools.stores.signIns.byHash(secretHash(cookie));
    if (signIn === undefined) return;
    this.#tools.stores.transaction((tx) => {
      tx.signIns.end(signIn.id);
      this.#tools.audit.record(tx, 'authn_logout', {
        actor: signIn.accountId,
        target: signIn.id,
        ...origin(from),
      });
    });
  }

  #insert(
    tx: AccountTransaction,
    account: Account,
    bounds: SignInBounds & Pick<SignIn, 'provenAt'>,
    userAgent: string | null,
  ): OpenedSignIn {
    const cookie = newOpaqueSecret(this.#tools.random);
    const now = this.#tools.clock.now();
    const expiresAt = slidTo(bounds, now, this.#ttlMs);
    const id = this.#tools.random.uuid();
    tx.signIns.insert(
      {
        ...bounds,
        id,
        accountId: account.id,
        createdAt: now,
        lastSeenAt: now,
        expiresAt,
        // A time in the future would keep the sign-in fresh for longer than 10 minutes.
        provenAt: bounds.provenAt === null ? null : Math.min(now, bounds.provenAt),
        userAgent: userAgent?.slice(0, LONGEST_USER_AGENT) ?? null,
      },
      secretHash(cookie),
    );
    return { id, cookie, account, lifetimeMs: expiresAt - now };
  }
}

/**
 * @returns whether the sign-in is the caller's own. A person owns all sign-ins of the account. A sign-in that was
 * opened with a key or token owns only itself, so that a leaked key cannot sign its owner out.
 */
function isOwn({ account, credential }: Caller, signIn: SignIn): boolean {
  return credential.isPerson ? signIn.accountId === account.id : signIn.id === credential.ownSignIn;
}
