/** A person at an OpenID Connect provider, linked to an account (contract 10.1). The e-mail address is no part of it. */
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

/** What the provider calls a sign-in that it proved, so that its logout can end the sign-in. */
export interface ProviderSignInRecord {
  readonly signInId: string;
  readonly accountId: string;
  readonly issuer: string;
  readonly subject: string;
  /** Id of the session at the provider, or null if the provider did not send one. */
  readonly sid: string | null;
}

/** Whose sign-ins a logout ends: those of one session at the provider, or all of one person. */
export type ProviderSignInQuery =
  | { readonly issuer: string; readonly sid: string; readonly subject: string | null }
  | { readonly issuer: string; readonly sid: null; readonly subject: string };

export interface IdentityReader {
  bySubject(issuer: string, subject: string): Identity | undefined;
  /** Returns the identities of an account, oldest first. */
  listOf(accountId: string): Identity[];
  /** Returns all identities, oldest first. */
  listAll(): Identity[];
  /** Returns the sign-ins that the query selects, also those that ended but may have minted tokens that still work. */
  signInsOf(query: ProviderSignInQuery): ProviderSignInRecord[];
}

export interface IdentityStore extends IdentityReader {
  /** Adds an identity. Throws `Conflict` if the person is linked already, or if the account was removed. */
  insert(identity: Identity): void;
  noteSignIn(id: string, lastSignInAt: number): void;
  attachSignIn(signIn: ProviderSignInRecord): void;
  detachSignIn(signInId: string): void;
  /**
   * Removes the records of sign-ins that ended `keepMs` ago. An end is noticed by this method, so the first call after
   * it only notes the time.
   */
  removeEnded(now: number, keepMs: number): void;
}
