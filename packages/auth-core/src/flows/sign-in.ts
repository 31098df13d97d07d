import { type Audit, origin, refusedFrom } from '../audit.ts';
import { slidTo } from '../credentials/sign-in.ts';
import { Refusal } from '../errors.ts';
import type { Clock, PasswordHasher, Random, SignIn, Stores, StoreTransaction } from '../ports.ts';
import type { Account, Caller } from '../principal.ts';
import type { RequestOrigin } from '../request-origin.ts';
import { newOpaqueSecret, secretHash } from '../secrets/opaque.ts';
import { hashCost, isUsablePassword } from '../secrets/password.ts';
import { USED_TEMPORARY_PASSWORD } from './set-password.ts';

const LONGEST_USER_AGENT = 256;

export interface OpenedSignIn {
  /** Value of the cookie; only its hash is kept. */
  readonly cookie: string;
  readonly account: Account;
  /** Milliseconds the cookie lives when nothing is asked meanwhile. */
  readonly lifetimeMs: number;
}

/** Bounds of a sign-in opened with a key or bearer token (contract 2, `/auth/dashboard-session`). */
export type SignInBounds = Pick<SignIn, 'scopes' | 'until' | 'apiTokenId' | 'teamId'>;

const UNBOUNDED: SignInBounds = { scopes: null, until: null, apiTokenId: null, teamId: null };

/** Opens and ends dashboard sign-ins. */
export class SignIns {
  readonly #stores: Stores;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #hasher: PasswordHasher;
  readonly #audit: Audit;
  readonly #ttlMs: number;
  readonly #cost: number;
  /** The highest cost of any hash met so far; every comparison takes as long as one at this cost. */
  #workCost: number;

  constructor(
    tools: { stores: Stores; clock: Clock; random: Random; hasher: PasswordHasher; audit: Audit },
    options: { ttlMs: number; bcryptCost: number },
  ) {
    this.#stores = tools.stores;
    this.#clock = tools.clock;
    this.#random = tools.random;
    this.#hasher = tools.hasher;
    this.#audit = tools.audit;
    this.#ttlMs = options.ttlMs;
    this.#cost = options.bcryptCost;
    this.#workCost = options.bcryptCost;
  }

  /**
   * Unknown e-mail, wrong password, inactive account and lapsed temporary password end alike, after the same work
   * (specification 5.9.4, contract 4).
   */
  async open(
    email: string,
    password: string,
    from: RequestOrigin,
    userAgent: string | null,
  ): Promise<OpenedSignIn> {
    const account = this.#stores.accounts.byEmail(email);
    const stored = account === undefined ? null : this.#stores.accounts.passwordHash(account.id);
    const matches = await this.#compare(password, stored);
    const refusal = this.#refusalReason(account, stored, matches);
    if (account === undefined || refusal !== null) return this.#refuse(account, refusal, from);
    const rehashed = await this.#rehash(password, stored as string);
    return this.#stores.transaction((tx) => {
      // Hashing took its time; the account may have changed meanwhile.
      const reason = this.#refusalReason(account, stored, matches);
      if (reason !== null) return this.#refuse(account, reason, from);
      const now = this.#clock.now();
      const used = account.temporaryPasswordUntil === null ? null : USED_TEMPORARY_PASSWORD;
      tx.accounts.update(account.id, {
        ...rehashed,
        lastSignInAt: now,
        temporaryPasswordUntil: used,
      });
      this.#audit.record(tx, 'authn_login_success', { actor: account.id, ...origin(from) });
      return this.#insert(tx, account, UNBOUNDED, userAgent);
    });
  }

  /** The caller's own sign-ins that still stand, newest first. */
  list(caller: Caller): SignIn[] {
    const now = this.#clock.now();
    return this.#stores.signIns
      .listOf(caller.account.id)
      .filter((signIn) => now < signIn.expiresAt && isOwn(caller, signIn));
  }

  /** Ends one of the caller's own; any other answers like an unknown one. */
  end(caller: Caller, id: string): void {
    this.#stores.transaction((tx) => {
      const signIn = tx.signIns.byId(id);
      if (signIn === undefined || !isOwn(caller, signIn)) throw new Refusal('not_found');
      tx.signIns.end(id);
      this.#audit.record(tx, 'authn_logout', {
        actor: caller.account.id,
        target: id,
        ...origin(caller.from),
      });
    });
  }

  /** A sign-in bounded by the credential that asked for it. */
  openBounded(
    tx: StoreTransaction,
    caller: Caller,
    bounds: SignInBounds,
    userAgent: string | null,
  ): OpenedSignIn {
    this.#audit.record(tx, 'authn_login_success', {
      actor: caller.account.id,
      reason: `opened with a ${caller.credential.kind}`,
      ...origin(caller.from),
    });
    return this.#insert(tx, caller.account, bounds, userAgent);
  }

  /** Sign-out: nothing happens for a cookie that opens nothing. */
  endByCookie(cookie: string, from: RequestOrigin): void {
    const signIn = this.#stores.signIns.byHash(secretHash(cookie));
    if (signIn === undefined) return;
    this.#stores.transaction((tx) => {
      tx.signIns.end(signIn.id);
      this.#audit.record(tx, 'authn_logout', { actor: signIn.accountId, target: signIn.id, ...origin(from) });
    });
  }

  /** Takes the same time whatever there is to compare with (contract 4). */
  async #compare(password: string, stored: string | null): Promise<boolean> {
    const usable = isUsablePassword(password);
    if (stored !== null) this.#workCost = Math.max(this.#workCost, hashCost(stored));
    const hash = stored ?? decoyHash(this.#workCost);
    const matches = await this.#hasher.matches(usable ? password : '', hash, this.#workCost);
    return matches && usable && stored !== null;
  }

  /** A new hash when the configured cost is another one; a full queue puts it off to the next sign-in. */
  async #rehash(password: string, stored: string): Promise<{ passwordHash?: string }> {
    if (hashCost(stored) === this.#cost) return {};
    try {
      return { passwordHash: await this.#hasher.hash(password) };
    } catch (error) {
      if (error instanceof Refusal) return {};
      throw error;
    }
  }

  #refuse(account: Account | undefined, reason: string | null, from: RequestOrigin): never {
    this.#audit.recordRefusal('authn_login_fail', {
      ...refusedFrom(from),
      triedAccount: account?.id ?? null,
      reason: reason ?? 'unknown e-mail',
    });
    throw new Refusal('invalid credentials', reason ?? 'unknown e-mail');
  }

  /** Asked after the comparison, since the account may have changed while it ran. */
  #refusalReason(before: Account | undefined, stored: string | null, matches: boolean): string | null {
    if (before === undefined) return 'unknown e-mail';
    // Compared with the decoy: whatever came out, it opens nothing.
    if (stored === null) return 'account has no password';
    if (!matches) return 'wrong password';
    const now = this.#stores.accounts.byId(before.id);
    if (now === undefined || this.#stores.accounts.passwordHash(before.id) !== stored)
      return 'account changed meanwhile';
    if (now.status !== 'Active') return 'account inactive';
    const lapsed = now.temporaryPasswordUntil !== null && this.#clock.now() >= now.temporaryPasswordUntil;
    return lapsed ? 'temporary password lapsed' : null;
  }

  #insert(
    tx: StoreTransaction,
    account: Account,
    bounds: SignInBounds,
    userAgent: string | null,
  ): OpenedSignIn {
    const cookie = newOpaqueSecret(this.#random);
    const now = this.#clock.now();
    const expiresAt = slidTo(bounds, now, this.#ttlMs);
    tx.signIns.insert(
      {
        ...bounds,
        id: this.#random.uuid(),
        accountId: account.id,
        createdAt: now,
        lastSeenAt: now,
        expiresAt,
        userAgent: userAgent?.slice(0, LONGEST_USER_AGENT) ?? null,
      },
      secretHash(cookie),
    );
    return { cookie, account, lifetimeMs: expiresAt - now };
  }
}

/**
 * A person's are all of their account's. A sign-in opened with a key or token is that key's and not a person's: it
 * has only itself, so that a leaked key cannot sign its owner out.
 */
function isOwn({ account, credential }: Caller, signIn: SignIn): boolean {
  return credential.isPerson ? signIn.accountId === account.id : signIn.id === credential.ownSignIn;
}

/** Well-formed, of the configured cost, the hash of nothing known: comparing with it takes as long as with a real one. */
function decoyHash(cost: number): string {
  return `$2b$${String(cost).padStart(2, '0')}$C6UzMDM.H6dfI/f/IKcEeO7ZUq0a7WbJvFqIyDBL6vSDbDQPVbO7m`;
}
