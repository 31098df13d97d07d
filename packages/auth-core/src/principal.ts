import type { Role, Status } from '@svc/contract';
import type { RequestOrigin } from './request-origin.ts';
import { effectiveScopes, roleAllowance, type ScopeSet } from './scopes.ts';

export interface Team {
  readonly id: string;
  readonly name: string;
}

/** An account as every decision sees it; the password hash is never part of it. Times are ms since 1970. */
export interface Account {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly status: Status;
  readonly accessKey: string;
  readonly teams: readonly Team[];
  readonly createdAt: number;
  readonly lastSignInAt: number | null;
  /**
   * Raised whenever the password is set anew. Tokens minted from a sign-in carry it, and stop with the next one
   * (specification 5.10.4, contract 4).
   */
  readonly signInEpoch: number;
  /** The sign-in that changed the password last: its tokens outlive the epoch they were minted in. */
  readonly sparedSignIn: string | null;
  /** Set while the account has a temporary password: after this moment (ms) it no longer signs in. */
  readonly temporaryPasswordUntil: number | null;
  /** True while the account still has the built-in password (contract 5) or a weak one given at a start (contract 4). */
  readonly defaultPassword: boolean;
}

/**
 * How a caller proved who they are. Each scheme makes its own (`credentials/`); what decisions need to know about a
 * credential is a member here, so that none of them asks for its kind.
 */
export interface Credential {
  /** As the audit trail and `GET /auth/me` name it. */
  readonly kind: string;
  /** Of the record or token it is; empty without a credential. */
  readonly id: string;
  /** Requests a minute of a count of its own; null: it shares its user's (specification 8.1.2). */
  readonly rateLimit: number | null;
  /** The API token it is; null: it is none. */
  readonly apiTokenId: string | null;
  /** The dashboard sign-in whose cookie it is; null: it is no cookie. */
  readonly ownSignIn: string | null;
  /**
   * The dashboard sign-in its chain of mintings began at, for a cookie the sign-in itself; null: it began at a key.
   * Empty: at one that the token does not name.
   */
  readonly sourceSignIn: string | null;
  /** A person's own browser: a cookie got with a password. One opened with a key or token is that key's. */
  readonly isPerson: boolean;
  /** `POST /auth/dashboard-session` opens a sign-in with it (contract 2). */
  readonly opensDashboard: boolean;
}

type CredentialTraits = Omit<Credential, 'kind' | 'id'>;

const NO_TRAITS: CredentialTraits = {
  rateLimit: null,
  apiTokenId: null,
  ownSignIn: null,
  sourceSignIn: null,
  isPerson: false,
  opensDashboard: false,
};

export function credentialOfKind(kind: string, id: string, traits: Partial<CredentialTraits>): Credential {
  return { kind, id, ...NO_TRAITS, ...traits };
}

/** Sign-in is turned off: every caller counts as signed in (specification 5.12). */
export const NO_CREDENTIAL: Credential = credentialOfKind('none', '', { isPerson: true });

/**
 * An account whose credential was verified for this request, with what it may do now. Only `authenticate` makes one;
 * use cases take a Caller as their first argument and cannot be called without.
 */
export interface Caller {
  readonly account: Account;
  readonly credential: Credential;
  /** Effective scopes: granted ∩ role now (contract 3.2). */
  readonly scopes: ScopeSet;
  /** When the credential ends (ms), for display; a sign-in's slides. */
  readonly expiresAt: number | null;
  /** Nothing minted from this credential may outlive this (ms); null: no bound (specification 5.2.2, 5.3.1). */
  readonly grantsUntil: number | null;
  /** The team a key is bound to; everything minted from it is bound to it too. */
  readonly teamId: string | null;
  /** This request extended the sign-in; the browser's cookie has to be renewed. */
  readonly extended: boolean;
  /** The request it was proven in. */
  readonly from: RequestOrigin;
}

/**
 * What a caller may do once their account has this role: a person's own sign-in all that the role may, also after a
 * promotion (specification 6); everything else no more than it was granted (contract 3.2).
 */
export function scopesWithRole(
  { credential, scopes }: Pick<Caller, 'credential' | 'scopes'>,
  role: Role,
): ScopeSet {
  return credential.isPerson ? roleAllowance(role) : effectiveScopes(scopes, role);
}
