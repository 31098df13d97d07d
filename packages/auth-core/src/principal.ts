import type { McpScope, Role, Status } from '@svc/contract';
import type { RequestOrigin } from './request-origin.ts';
import { effectiveScopes, roleAllowance, type ScopeSet } from './scopes.ts';

export interface Team {
  readonly id: string;
  readonly name: string;
}

/** An account without its password hash. Times are in ms since 1970. */
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
   * Raised whenever the password is set. Tokens minted from a sign-in carry it and stop working when it is raised
   * (specification 5.10.4, contract 4).
   */
  readonly signInEpoch: number;
  /** The sign-in that changed the password last. Its tokens keep working although the epoch was raised. */
  readonly sparedSignIn: string | null;
  /** Time (ms) after which the temporary password no longer works, or null if the password is not temporary. */
  readonly temporaryPasswordUntil: number | null;
  /** Whether the account has the built-in password (contract 5) or a weak one from the environment (contract 4). */
  readonly defaultPassword: boolean;
}

/**
 * How a caller proved who they are. Each scheme in `credentials/` creates its own. Whatever decisions need to know
 * about a credential is a member, so that no decision depends on the kind.
 */
export interface Credential {
  /** Name in the audit trail and in `GET /auth/me`. */
  readonly kind: string;
  /** Id of the record or token; empty without a credential. */
  readonly id: string;
  /**
   * Requests per minute if the credential has a limit of its own, or null if it shares the user's (specification
   * 8.1.2).
   */
  readonly rateLimit: number | null;
  /** Id of the API token, or null if the credential is not an API token. */
  readonly apiTokenId: string | null;
  /** Id of the dashboard sign-in, or null if the credential is not a sign-in cookie. */
  readonly ownSignIn: string | null;
  /**
   * Id of the dashboard sign-in that the chain of mintings began with (for a cookie, the sign-in itself), or null if it
   * began with a key. Empty if the token does not name the sign-in.
   */
  readonly sourceSignIn: string | null;
  /** Whether a person signed in with a password. A sign-in that was opened with a key or token is not a person's. */
  readonly isPerson: boolean;
  /** Whether `POST /auth/dashboard-session` accepts it (contract 2). */
  readonly opensDashboard: boolean;
  /** The MCP scopes of an `svc-mcp` bearer token, or null for every other credential. */
  readonly mcpScopes: readonly McpScope[] | null;
}

type CredentialTraits = Omit<Credential, 'kind' | 'id'>;

const NO_TRAITS: CredentialTraits = {
  rateLimit: null,
  apiTokenId: null,
  ownSignIn: null,
  sourceSignIn: null,
  isPerson: false,
  opensDashboard: false,
  mcpScopes: null,
};

export function credentialOfKind(kind: string, id: string, traits: Partial<CredentialTraits>): Credential {
  return { kind, id, ...NO_TRAITS, ...traits };
}

/** Credential of every caller while sign-in is turned off; each counts as signed in (specification 5.12). */
export const NO_CREDENTIAL: Credential = credentialOfKind('none', '', { isPerson: true });

/**
 * An account whose credential was verified for this request, with its current rights. Only `authenticate` creates one.
 * Use cases take a Caller as their first argument, so they cannot be called without one.
 */
export interface Caller {
  readonly account: Account;
  readonly credential: Credential;
  /** Effective scopes: those granted that the current role allows (contract 3.2). */
  readonly scopes: ScopeSet;
  /** When the credential expires (ms), for display; use extends a sign-in. */
  readonly expiresAt: number | null;
  /** Latest expiry (ms) of what is minted from this credential, or null for no bound (specification 5.2.2, 5.3.1). */
  readonly grantsUntil: number | null;
  /** The team that a key, and everything minted from it, is bound to. */
  readonly teamId: string | null;
  /** Whether this request extended the sign-in, so that the browser's cookie has to be renewed. */
  readonly extended: boolean;
  /** Origin of the request that proved the credential. */
  readonly from: RequestOrigin;
}

/**
 * @returns the caller's scopes once the account has this role. A person's own sign-in has all scopes of the role, also
 * after a promotion (specification 6). Every other credential has at most what it was granted (contract 3.2).
 */
export function scopesWithRole(
  { credential, scopes }: Pick<Caller, 'credential' | 'scopes'>,
  role: Role,
): ScopeSet {
  return credential.isPerson ? roleAllowance(role) : effectiveScopes(scopes, role);
}
