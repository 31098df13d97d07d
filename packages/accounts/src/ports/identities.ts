/**
 * A person at an OpenID Connect provider who is linked to an account (contract 10.1). Issuer and subject identify the
 * person; the e-mail address does not.
 */
export interface Identity {
  readonly id: string;
  readonly accountId: string;
  readonly issuer: string;
  /** Id of the person at the issuer (`sub`). */
  readonly subject: string;
  readonly createdAt: number;
  /** Time (ms since 1970) of the last sign-in through the provider, or null if there was none. */
  readonly lastSignInAt: number | null;
}

/**
 * Record of a sign-in through an OpenID provider. It stores the ids of the person and session at the provider, so that
 * a logout there can end the sign-in here.
 */
export interface ProviderSignInRecord {
  readonly signInId: string;
  readonly accountId: string;
  readonly issuer: string;
  readonly subject: string;
  /** Id of the session at the provider, or null if the provider did not send one. */
  readonly sid: string | null;
}

/** Selects the sign-ins that a logout ends: those of one session at the provider, or all sign-ins of one person. */
export type ProviderSignInQuery =
  | { readonly issuer: string; readonly sid: string; readonly subject: string | null }
  | { readonly issuer: string; readonly sid: null; readonly subject: string };

export interface IdentityReader {
  /** Returns whether the account signed up with an e-mail address that no one has confirmed yet. */
  isEmailUnconfirmed(accountId: string): boolean;
  bySubject(issuer: string, subject: string): Identity | undefined;
  /** Returns the identities of an account, oldest first. */
  listOf(accountId: string): Identity[];
  /** Returns all identities, oldest first. */
  listAll(): Identity[];
  /**
   * Returns the records of the sign-ins that the query selects, including sign-ins that have ended, because tokens
   * minted from them may still work.
   */
  signInsOf(query: ProviderSignInQuery): ProviderSignInRecord[];
}

export interface IdentityStore extends IdentityReader {
  /**
   * Stores whether it is unknown that the account's e-mail address belongs to its owner, because the provider did not
   * say so at the sign-up.
   */
  setEmailUnconfirmed(accountId: string, isUnconfirmed: boolean): void;
  /** Adds an identity. Throws `Conflict` if the person is linked already, or if the account was removed. */
  insert(identity: Identity): void;
  noteSignIn(id: string, lastSignInAt: number): void;
  /** Removes an identity. The records of its sign-ins stay until `detachSignIn` or `removeEnded` removes them. */
  remove(id: string): void;
  attachSignIn(signIn: ProviderSignInRecord): void;
  detachSignIn(signInId: string): void;
  /**
   * Removes the records of sign-ins that ended at least `keepMs` ago. The end of a sign-in is not recorded when it
   * happens: the first call after it stores the time, and the call `keepMs` later removes the record.
   */
  removeEnded(now: number, keepMs: number): void;
}
