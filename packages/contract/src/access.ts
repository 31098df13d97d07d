import type { NodeAction, TicketAudience } from './audiences.ts';
import type { Role } from './roles.ts';
import type { McpScope, Scope } from './scopes.ts';

/** Kinds of credential that the REST API accepts; `none` means that sign-in is turned off (specification 5.12). */
export const REST_CREDENTIALS = ['key', 'bearer', 'sign-in', 'none'] as const;
export type RestCredential = (typeof REST_CREDENTIALS)[number];
/**
 * Kinds of credential with which a caller proves an identity, strongest first. Each is the name of a scheme in
 * `PROOF_SCHEMES`.
 */
export const PROVING_CREDENTIALS = REST_CREDENTIALS.filter((kind) => kind !== 'none');

/**
 * Who may call a route on a node, which is a server whose phones another server (its hub) manages (contract 8.3).
 * - `hub`: only the node's hub, with its token, because the hub manages the phone or session.
 * - `own`: the same callers as on any other server.
 */
export type AtNode = 'hub' | 'own';

/** Proof by the credential of an account. The caller of the route is then this account. */
export interface CredentialProof {
  readonly by: 'credential';
  /** Kinds of credential that the route accepts. If absent, it accepts all kinds. */
  readonly only?: readonly RestCredential[];
  /** Present if the route accepts only those bearer tokens that were issued to a dashboard sign-in, not to a key. */
  readonly bearerFromSignIn?: true;
  /** MCP scope that an `svc-mcp` bearer token needs. Other credentials need no MCP scope. */
  readonly mcpScope?: McpScope;
}

/**
 * Proof by a single-use ticket. The caller of the route is then the one to whom the ticket was issued. The route's
 * handler marks the ticket as used.
 */
export interface TicketProof {
  readonly by: 'ticket';
  readonly audience: TicketAudience;
  /**
   * Name of the path parameter (such as `udid`) whose value must be the resource for which the ticket was issued.
   * Absent if tickets of this audience name no resource.
   */
  readonly resource?: string;
  /** Present if the route requires the ticket even while sign-in is turned off (specification 5.8.3). */
  readonly evenWithSignInOff?: true;
}

/**
 * Proof by a token that the node's hub signed for this action, or for the session in the path (contract 8). The caller
 * of the route is then the hub.
 */
export interface HubTokenProof {
  readonly by: 'hub-token';
  readonly action: NodeAction | 'session';
}

/**
 * Proof by the bearer token of the metrics scraper (`SVC_METRICS_TOKEN`). The caller of the route is then the scraper.
 */
export interface ScrapeTokenProof {
  readonly by: 'scrape-token';
}

/** Proof by a key of kind `scim` (contract 10.5). The caller of the route is the owner of the key. */
export interface ScimKeyProof {
  readonly by: 'scim-key';
}

/**
 * Proof by a bearer token with the audience `svc-mcp` (contract 12); while sign-in is off, every request passes. The
 * caller of the route is the account of the agent.
 */
export interface McpBearerProof {
  readonly by: 'mcp-bearer';
}

/** Proof by which the caller of a route is an account. A route accepts at most one of them. */
export type AccountProof = CredentialProof | ScimKeyProof | McpBearerProof;

/** A way to prove that a request is allowed to use a route. It is checked before the route's handler runs. */
export type Proof = AccountProof | TicketProof | HubTokenProof | ScrapeTokenProof;

/**
 * What a route requires of a request. Every route declares an access, and the server does not start if one is missing.
 */
export interface Access {
  /** Proofs that the route accepts. A request needs one of them. If the list is empty, the route is public. */
  readonly accepts: readonly Proof[];
  /** Lowest role that a caller with a credential needs. If absent, any role is enough. */
  readonly role?: Role;
  /** Scope that a caller with a credential needs. If absent, no scope is needed. */
  readonly scope?: Scope;
  /**
   * True if the caller must have proved in the last 10 minutes who they are, for example with the password (a fresh
   * sign-in, contract 10). The route then accepts neither keys nor bearer tokens.
   */
  readonly fresh?: true;
  /**
   * True if agents (AI clients) are refused, because the route creates something that would outlive the agent or would
   * not have its limits. An agent creates nothing but bearer tokens (contract 4).
   */
  readonly refusesAgents?: true;
  /** Who may call the route on a node. Routes about phones and sessions must set this field (see `mustSayAtNode`). */
  readonly atNode?: AtNode;
}

const CREDENTIAL: CredentialProof = { by: 'credential' };

export const PUBLIC: Access = { accepts: [] };
export const ANY_CALLER: Access = { accepts: [CREDENTIAL] };
/**
 * Access rule of routes that read phones and sessions: any valid credential is enough. On a node, accounts of the node
 * itself may call these routes, too, not only its hub.
 */
export const READS_LAB: Access = { accepts: [CREDENTIAL], atNode: 'own' };
/**
 * Access rule of the command log of a session. An agent needs the same MCP scope as for its tool that reads the log
 * (contract 12).
 */
export const READS_COMMANDS: Access = {
  ...READS_LAB,
  accepts: [{ by: 'credential', mcpScope: 'svc:analytics:read' }],
};
/** Access rule of routes that tell what a create-session request would get. They need the scope `read`. */
export const PREVIEWS_LAB: Access = { ...READS_LAB, scope: 'read' };
/**
 * Access to what a hub manages. On a node, only the node's hub has this access. On any other server, any valid
 * credential is enough.
 */
export const HUB_MANAGED: Access = { accepts: [CREDENTIAL], atNode: 'hub' };
/**
 * Access to what sends commands to a session of a hub, or ends it. An agent needs the same MCP scope as for the tools
 * that do so (contract 12).
 */
export const DRIVES_SESSION: Access = {
  accepts: [{ by: 'credential', mcpScope: 'auto:use' }],
  atNode: 'hub',
};
/**
 * Access to recordings of a session's screen: everyone who can see the session and, on a node, its hub (contract 11).
 */
export const RECORDINGS: Access = {
  accepts: [
    { by: 'credential', mcpScope: 'svc:recordings' },
    { by: 'hub-token', action: 'session' },
  ],
  atNode: 'hub',
};
export const ADMIN: Access = { accepts: [CREDENTIAL], role: 'Admin', scope: 'admin' };
export const SUPER_ADMIN: Access = { accepts: [CREDENTIAL], role: 'Super admin', scope: 'admin' };
/**
 * Access for adding apps to the library and removing them. Members do not have this access although `role` is `Member`,
 * because it requires the scope `admin`, which Members cannot hold (contract 3.2).
 */
export const MANAGE_APPS: Access = { accepts: [CREDENTIAL], role: 'Member', scope: 'admin' };
export const DEVICES: Access = { accepts: [CREDENTIAL], role: 'Member', scope: 'devices', atNode: 'hub' };
/**
 * Access for a person who signed in with a browser, or for any caller while sign-in is turned off (specification 5.12).
 */
export const SIGN_IN_ONLY: Access = { accepts: [{ by: 'credential', only: ['sign-in', 'none'] }] };
/**
 * Access for starting a session from a phone's page in the dashboard: for a person who signed in with a browser and is
 * allowed to create sessions. Keys and bearer tokens are refused; their holders create sessions through WebDriver.
 */
export const REMOTE_CONTROL: Access = { ...SIGN_IN_ONLY, role: 'Member', scope: 'sessions' };
/**
 * Access that requires a fresh sign-in (contract 10). While sign-in is turned off, every caller has this access,
 * because there is no sign-in that could be proved.
 */
export const FRESH_SIGN_IN: Access = { ...SIGN_IN_ONLY, fresh: true };
/**
 * Access for a person who signed in, either with the sign-in itself or with a bearer token that was issued to this
 * sign-in.
 */
export const FROM_SIGN_IN: Access = {
  accepts: [{ by: 'credential', only: ['sign-in', 'bearer', 'none'], bearerFromSignIn: true }],
};

/** @returns the access without agents, for a route that creates credentials other than bearer tokens (contract 4) */
export function exceptAgents(access: Access): Access {
  return { ...access, refusesAgents: true };
}

/** @returns the access, extended by another proof, which a request can present instead of the others */
export function alsoAccepting(access: Access, proof: Proof): Access {
  return { ...access, accepts: [...access.accepts, proof] };
}

export function isPublic({ accepts }: Access): boolean {
  return accepts.length === 0;
}

/** @returns the proof of this kind that the access accepts, or undefined if the access accepts no proof of this kind */
export function acceptedProof<By extends Proof['by']>(
  { accepts }: Access,
  by: By,
): Extract<Proof, { readonly by: By }> | undefined {
  return accepts.find((proof): proof is Extract<Proof, { readonly by: By }> => proof.by === by);
}

const OF_ACCOUNTS: readonly Proof['by'][] = ['credential', 'scim-key', 'mcp-bearer'];

/** @returns the proof of an account that the access accepts, or undefined if the caller of the route is no account */
export function accountProof({ accepts }: Access): AccountProof | undefined {
  return accepts.find((proof): proof is AccountProof => OF_ACCOUNTS.includes(proof.by));
}

const ABOUT_LAB = /^\/(?:control|devices?|leases|sessions?)(?:\/|$)|\/:udid(?:\/|$)/;

/**
 * @returns whether a route with this path concerns phones or sessions, so that its access must set `atNode`
 *
 * The server does not start if such a route lacks `atNode`. Otherwise a new route without the field could let a node's
 * own accounts use phones and sessions that the hub manages.
 */
export function mustSayAtNode(path: string): boolean {
  return ABOUT_LAB.test(path);
}

/**
 * @returns who may call a route on a node: `own` if `atNode` is absent, because the route then concerns neither phones
 * nor sessions
 */
export function atNode(access: Access): AtNode {
  return access.atNode ?? 'own';
}
