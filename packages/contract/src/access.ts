import type { NodeAction, TicketAudience } from './audiences.ts';
import type { Role } from './roles.ts';
import type { McpScope, Scope } from './scopes.ts';

/** Kinds of credential that the REST API accepts; `none` means that sign-in is turned off (specification 5.12). */
export const REST_CREDENTIALS = ['key', 'bearer', 'sign-in', 'none'] as const;
export type RestCredential = (typeof REST_CREDENTIALS)[number];
/** Kinds of credential that are a proof, strongest first. Each is a scheme in `PROOF_SCHEMES`. */
export const PROVING_CREDENTIALS = REST_CREDENTIALS.filter((kind) => kind !== 'none');

/**
 * Who may call a route on a server that is a node (contract 8.3).
 * - `hub`: only the hub of the node, with its token, because the phone or session belongs to the hub.
 * - `own`: the same callers as on any other server.
 */
export type AtNode = 'hub' | 'own';

/** The credential of an account; the guard yields its caller. */
export interface CredentialProof {
  readonly by: 'credential';
  /** Kinds of credential accepted; all of them if absent. */
  readonly only?: readonly RestCredential[];
  /** A bearer token must have been minted from a sign-in. */
  readonly bearerFromSignIn?: true;
  /** An `svc-mcp` bearer token needs this MCP scope; other credentials need none. */
  readonly mcpScope?: McpScope;
}

/** A single-use ticket; the guard yields the caller it was issued to, and the handler spends it. */
export interface TicketProof {
  readonly by: 'ticket';
  readonly audience: TicketAudience;
  /** Name of the path parameter that the ticket must have been issued for; absent if the audience has one resource. */
  readonly resource?: string;
  /** While sign-in is turned off, the ticket is still required (specification 5.8.3). */
  readonly evenWithSignInOff?: true;
}

/**
 * On a node, a token of its hub for this action, or for the session of the path (contract 8); the guard yields the hub.
 */
export interface HubTokenProof {
  readonly by: 'hub-token';
  readonly action: NodeAction | 'session';
}

/** The scraper's own bearer token (`SVC_METRICS_TOKEN`); the guard yields the scraper. */
export interface ScrapeTokenProof {
  readonly by: 'scrape-token';
}

/** What proves that a request may use a route. Only the guard redeems a proof. */
export type Proof = CredentialProof | TicketProof | HubTokenProof | ScrapeTokenProof;

/**
 * What a route requires of a request. Every route declares an access, and the server does not start if one is missing.
 */
export interface Access {
  /** Any one of these proofs is enough. A route that accepts none is public. */
  readonly accepts: readonly Proof[];
  /** Role that the caller of a credential needs at least. */
  readonly role?: Role;
  /** Scope that the caller of a credential needs. */
  readonly scope?: Scope;
  /** Required for routes about phones and sessions; see `mustSayAtNode`. */
  readonly atNode?: AtNode;
}

const CREDENTIAL: CredentialProof = { by: 'credential' };

export const PUBLIC: Access = { accepts: [] };
export const ANY_CALLER: Access = { accepts: [CREDENTIAL] };
/** Any valid credential, for reading about phones and sessions; a node's own accounts may use it too. */
export const READS_LAB: Access = { accepts: [CREDENTIAL], atNode: 'own' };
/** Any valid credential; on a node, only its hub. */
export const HUB_MANAGED: Access = { accepts: [CREDENTIAL], atNode: 'hub' };
/** What a session showed: for everybody who sees the session; on a node, for its hub (contract 11). */
export const RECORDINGS: Access = {
  accepts: [
    { by: 'credential', mcpScope: 'svc:recordings' },
    { by: 'hub-token', action: 'session' },
  ],
  atNode: 'hub',
};
export const ADMIN: Access = { accepts: [CREDENTIAL], role: 'Admin', scope: 'admin' };
export const SUPER_ADMIN: Access = { accepts: [CREDENTIAL], role: 'Super admin', scope: 'admin' };
/** Adding apps to the library and removing them needs `admin`, which counts for Admins only (contract 3.2). */
export const MANAGE_APPS: Access = { accepts: [CREDENTIAL], role: 'Member', scope: 'admin' };
export const DEVICES: Access = { accepts: [CREDENTIAL], role: 'Member', scope: 'devices', atNode: 'hub' };
/** A person's own browser, or any caller while sign-in is turned off (specification 5.12). */
export const SIGN_IN_ONLY: Access = { accepts: [{ by: 'credential', only: ['sign-in', 'none'] }] };
/** A person who signed in, including one who uses a bearer token minted from that sign-in. */
export const FROM_SIGN_IN: Access = {
  accepts: [{ by: 'credential', only: ['sign-in', 'bearer', 'none'], bearerFromSignIn: true }],
};

/** @returns the access with one more proof that is enough */
export function alsoAccepting(access: Access, proof: Proof): Access {
  return { ...access, accepts: [...access.accepts, proof] };
}

export function isPublic({ accepts }: Access): boolean {
  return accepts.length === 0;
}

/** @returns the proof of this kind that the access accepts, or undefined if it does not accept it */
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
 * The server does not start if such a route lacks it, so that no new route opens the hub's phones and sessions to a
 * node's own accounts.
 */
export function mustSayAtNode(path: string): boolean {
  return ABOUT_LAB.test(path);
}

/** @returns who may call a route on a node; a route without `atNode` concerns neither phones nor sessions */
export function atNode(access: Access): AtNode {
  return access.atNode ?? 'own';
}
