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
   * Counter that is raised whenever the password is set. Tokens minted from a sign-in carry its value and stop working
   * when the counter is raised (specification 5.10.4, contract 4).
   */
  readonly signInEpoch: number;
  /**
   * Id of the sign-in in which the password was last changed. Tokens minted from this sign-in keep working although
   * `signInEpoch` was raised. Null if the password was set in another way, for example by a reset link.
   */
  readonly sparedSignIn: string | null;
  /** Time (ms) after which the temporary password no longer works, or null if the password is not temporary. */
  readonly temporaryPasswordUntil: number | null;
  /**
   * Whether the account has the built-in password (contract 5) or a weak password from the environment (contract 4).
   */
  readonly defaultPassword: boolean;
}

/**
 * An agent (an AI client): the holder of an `svc-mcp` token and of all tokens minted from it. The limits of the
 * `svc-mcp` token apply to all of them together.
 */
export interface AgentClaim {
  /** Id (`jti`) of the agent's `svc-mcp` token. */
  readonly id: string;
  /** Maximum number of the agent's sessions at the same time, or null if the token sets no limit. */
  readonly sessions: number | null;
  /** Maximum number of minutes that the agent's sessions may take together in a day (UTC), or null for no limit. */
  readonly minutes: number | null;
  /**
   * MCP scopes of the token. They bind the agent on every route that needs an MCP scope, whatever the audience of the
   * token is (contract 4).
   */
  readonly mcpScopes: readonly McpScope[];
}

/**
 * How a caller proved who they are. Each scheme in `credentials/` creates its own kind of credential. Everything that
 * an access decision needs to know about a credential is a member of this interface, so that no decision depends on
 * `kind`.
 */
export interface Credential {
  /** Name of the kind of credential in the audit trail and in the response of `GET /auth/me`. */
  readonly kind: string;
  /**
   * Id of the credential's record or token, or an empty string if the caller has no credential because sign-in is
   * turned off.
   */
  readonly id: string;
  /**
   * Requests per minute that the credential allows, or null if it shares the limit of its user (specification 8.1.2).
   */
  readonly rateLimit: number | null;
  /** Id of the API token, or null if the credential is not an API token. */
  readonly apiTokenId: string | null;
  /** Id of the dashboard sign-in, or null if the credential is not a sign-in cookie. */
  readonly ownSignIn: string | null;
  /**
   * Id of the dashboard sign-in from which the credential was minted, directly or through other tokens. For a cookie,
   * it is the id of the sign-in itself. Null if the first credential in that chain was a key. Empty if the token does
   * not name its sign-in.
   */
  readonly sourceSignIn: string | null;
  /**
   * Whether the credential is a sign-in that a person opened with a password, a passkey or a provider. False for a
   * sign-in that was opened with a key or token. Always true while sign-in is turned off.
   */
  readonly isPerson: boolean;
  /**
   * Time (ms since 1970) at which the person last authenticated, with a password, a passkey or a provider (contract
   * 10). Null for every other credential, for a sign-in that was opened with a key or token, and for one that was
   * stored before this field existed.
   */
  readonly provenAt: number | null;
  /**
   * Whether a client can open a dashboard sign-in with this credential, through `POST /auth/dashboard-session`
   * (contract 2).
   */
  readonly opensDashboard: boolean;
  /**
   * Ids of the credentials from which this credential was minted or opened, oldest first. Empty if a person created it,
   * and for tokens of versions that did not store these ids.
   */
  readonly parents: readonly string[];
  /** The MCP scopes of an `svc-mcp` bearer token, or null for every other credential. */
  readonly mcpScopes: readonly McpScope[] | null;
  /**
   * Trust rule (which lets CI jobs sign in) through which a CI job got the credential, directly or through other
   * credentials, or null if there is none. The credential is valid only while the rule exists and is not paused.
   */
  readonly rule: RuleOrigin | null;
  /**
   * Agent (AI client) that uses the credential, if it is an `svc-mcp` token or a session token minted with one. Null
   * otherwise.
   */
  readonly agent: AgentClaim | null;
}

/** The CI job that got a credential through a trust rule (which lets CI jobs sign in), and the rule (contract 10.3). */
export interface RuleOrigin {
  readonly id: string;
  /** Claim `sub` of the job's token. */
  readonly subject: string;
  /** Short description of the run for people, such as `owner/repo@main, run 812`. */
  readonly run: string;
  /** http(s) address of the run at the CI service, or absent if it is not known. */
  readonly url?: string;
}

type CredentialTraits = Omit<Credential, 'kind' | 'id'>;

const NO_TRAITS: CredentialTraits = {
  rateLimit: null,
  apiTokenId: null,
  ownSignIn: null,
  sourceSignIn: null,
  isPerson: false,
  provenAt: null,
  opensDashboard: false,
  parents: [],
  mcpScopes: null,
  rule: null,
  agent: null,
};

export function credentialOfKind(kind: string, id: string, traits: Partial<CredentialTraits>): Credential {
  return { kind, id, ...NO_TRAITS, ...traits };
}

/**
 * Credential of every caller while sign-in is turned off. Each caller then counts as a person who signed in
 * (specification 5.12).
 */
export const NO_CREDENTIAL: Credential = credentialOfKind('none', '', { isPerson: true });

/**
 * An account whose credential was verified for this request, with its current rights. Use cases take a Caller as their
 * first argument, so that they cannot be called for an unauthenticated request.
 */
export interface Caller {
  readonly account: Account;
  readonly credential: Credential;
  /** Effective scopes, which are the granted scopes that the account's current role allows (contract 3.2). */
  readonly scopes: ScopeSet;
  /**
   * Time (ms since 1970) at which the credential expires, or null if it never expires. For a sign-in it may be
   * outdated, because each use extends the sign-in.
   */
  readonly expiresAt: number | null;
  /**
   * Latest expiry (ms since 1970) of tokens that are minted from this credential, or null for no bound (specification
   * 5.2.2, 5.3.1).
   */
  readonly grantsUntil: number | null;
  /** Id of the team that the key, and every token minted from it, is bound to. Null if it is bound to no team. */
  readonly teamId: string | null;
  /** Whether this request extended the sign-in, so that the browser's cookie has to be renewed. */
  readonly extended: boolean;
  /** Client address and other facts about the sender of the request. */
  readonly from: RequestOrigin;
}

/**
 * @returns the scopes that the caller has if the account's role is `role`. A sign-in that a person opened (`isPerson`)
 * has all scopes of the role, also after a promotion (specification 6). Every other credential has at most the scopes
 * that it was granted (contract 3.2).
 */
export function scopesWithRole(
  { credential, scopes }: Pick<Caller, 'credential' | 'scopes'>,
  role: Role,
): ScopeSet {
  return credential.isPerson ? roleAllowance(role) : effectiveScopes(scopes, role);
}
