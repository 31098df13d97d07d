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
 * Who may call a route on a server that is a node (contract 8.3).
 * - `hub`: only the node's hub, with its token, because the hub manages the phone or session.
 * - `own`: the same callers as on any other server.
 */
export type AtNode = 'hub' | 'own';

/** Proof by the credential of an account. The guard returns the account as the caller. */
export interface CredentialProof {
  readonly by: 'credential';
  /** Kinds of credential that the route accepts. If absent, it accepts all kinds. */
  readonly only?: readonly RestCredential[];
  /** Present if the route refuses bearer tokens, except those issued to a caller who had signed in. */
  readonly bearerFromSignIn?: true;
  /** MCP scope that an `svc-mcp` bearer token needs. Other credentials need no MCP scope. */
  readonly mcpScope?: McpScope;
}

/**
 * Proof by a single-use ticket. The guard returns the caller to whom the ticket was issued; the handler marks the
 * ticket as used.
 */
export interface TicketProof {
  readonly by: 'ticket';
  readonly audience: TicketAudience;
  /** Name of the path parameter whose value the ticket was issued for. Absent if the audience has only one resource. */
  readonly resource?: string;
  /** Present if the route requires the ticket even while sign-in is turned off (specification 5.8.3). */
  readonly evenWithSignInOff?: true;
}

/**
 * Proof by a token that the node's hub signed for this action, or for the session in the path (contract 8). The guard
 * returns the hub as the caller.
 */
export interface HubTokenProof {
  readonly by: 'hub-token';
  readonly action: NodeAction | 'session';
}

/**
 * Proof by the bearer token of the metrics scraper (`SVC_METRICS_TOKEN`). The guard returns the scraper as the caller.
 */
export interface ScrapeTokenProof {
  readonly by: 'scrape-token';
}

/** A way to prove that a request may use a route. Only the guard checks proofs. */
export type Proof = CredentialProof | TicketProof | HubTokenProof | ScrapeTokenProof;

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
 * Access to what a hub manages. On a node, only the node's hub has this access. On any other server, any valid
 * credential is enough.
 */
export const HUB_MANAGED: Access = { accepts: [CREDENTIAL], atNode: 'hub' };
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
 * Access for adding apps to the library and removing them. The scope `admin` excludes Members, because they cannot hold
 * it (contract 3.2). So the role does not have to exclude them.
 */
export const MANAGE_APPS: Access = { accepts: [CREDENTIAL], role: 'Member', scope: 'admin' };
export const DEVICES: Access = { accepts: [CREDENTIAL], role: 'Member', scope: 'devices', atNode: 'hub' };
/**
 * Access for a person who signed in with a browser, or for any caller while sign-in is turned off (specification 5.12).
 */
export const SIGN_IN_ONLY: Access = { accepts: [{ by: 'credential', only: ['sign-in', 'none'] }] };
/**
 * Access for starting a session on the page of a phone: a person who signed in with a browser and may create sessions.
 * Clients with a key or a bearer token, including agents, do not need this access, because they can start sessions with
 * their own credentials.
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

const ABOUT_LAB = /^\/(?:control|devices?|leases|sessions?)(?:\/|$)|\/:udid(?:\/|$)/;

/**
 * @returns whether the access of a route must set `atNode`, because the route concerns phones or sessions
 *
 * The server does not start if such a route lacks `atNode`, so that a new route cannot accidentally let a node's own
 * accounts use phones and sessions that the hub manages.
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
