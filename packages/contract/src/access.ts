import type { NodeAction } from './audiences.ts';
import type { Role } from './roles.ts';
import type { Scope } from './scopes.ts';

/** Kinds of credential the REST API takes; `none`: sign-in is turned off (specification 5.12). */
export const REST_CREDENTIALS = ['key', 'bearer', 'sign-in', 'none'] as const;
export type RestCredential = (typeof REST_CREDENTIALS)[number];

/**
 * Who may call a route on a server that is a node (contract 8.3).
 * - `hub`: the hub of the node with its token, and nobody else. The route acts on a phone or a session, which belong
 *   to the hub.
 * - `own`: the same callers as on any other server.
 */
export type AtNode = 'hub' | 'own';

/**
 * What a route asks of its caller; every route declares one, and one without stops the start.
 * - `public`: no credential.
 * - `ticket`: the handler redeems a single-use ticket.
 * - `caller`: any valid credential, with the least role, scope and kinds named.
 */
export type Access =
  | { readonly kind: 'public' }
  | {
      readonly kind: 'ticket';
      readonly atNode?: AtNode;
      /** On a node, a token of its hub for this action; the guard redeems it (contract 8). */
      readonly orHub?: NodeAction;
    }
  | {
      readonly kind: 'caller';
      readonly role?: Role;
      readonly scope?: Scope;
      /** Kinds of credential accepted; absent: all. */
      readonly only?: readonly RestCredential[];
      /** A bearer token must have been minted from a sign-in. */
      readonly bearerFromSignIn?: true;
      /** A ticket in the query stands for a credential; the handler redeems it. */
      readonly orTicket?: true;
      /** The scraper's own bearer (`SVC_METRICS_TOKEN`) stands for a credential. */
      readonly orScrapeToken?: true;
      /** Routes about phones and sessions have to say it: see `mustSayAtNode`. */
      readonly atNode?: AtNode;
      /** On a node, a token of its hub for this action stands for a credential; the guard redeems it (contract 8). */
      readonly orHub?: NodeAction;
    };

/** Access of a route that is answered to a proven caller only. */
export type CallerAccess = Extract<Access, { kind: 'caller' }>;
export type PublicAccess = Extract<Access, { kind: 'public' }>;
export type TicketAccess = Extract<Access, { kind: 'ticket' }>;

export const PUBLIC: PublicAccess = { kind: 'public' };
export const TICKET: TicketAccess = { kind: 'ticket' };
/** A ticket for pictures or lines of a phone; on a node, a token of its hub. */
export const STREAM_TICKET: TicketAccess = { kind: 'ticket', atNode: 'hub' };
export const ANY_CALLER: CallerAccess = { kind: 'caller' };
/** Any valid credential, for reads about phones and sessions that a node's own accounts have too. */
export const READS_LAB: CallerAccess = { kind: 'caller', atNode: 'own' };
/** Any valid credential; on a node, nobody but its hub. */
export const HUB_MANAGED: CallerAccess = { kind: 'caller', atNode: 'hub' };
export const ADMIN: CallerAccess = { kind: 'caller', role: 'Admin', scope: 'admin' };
export const SUPER_ADMIN: CallerAccess = { kind: 'caller', role: 'Super admin', scope: 'admin' };
/** Adds to and removes from the app library: `admin`, which counts for Admins only (contract 3.2). */
export const KEEPS_APPS: CallerAccess = { kind: 'caller', role: 'Member', scope: 'admin' };
export const ANY_CALLER_OR_TICKET: CallerAccess = { kind: 'caller', orTicket: true };
export const DEVICES: CallerAccess = { kind: 'caller', role: 'Member', scope: 'devices', atNode: 'hub' };
/** A person's own browser; sign-in off counts (specification 5.12: everyone is signed in). */
export const SIGN_IN_ONLY: CallerAccess = { kind: 'caller', only: ['sign-in', 'none'] };
/** A person who signed in, also with a bearer token minted from that sign-in. */
export const FROM_SIGN_IN: CallerAccess = {
  kind: 'caller',
  only: ['sign-in', 'bearer', 'none'],
  bearerFromSignIn: true,
};

const ABOUT_LAB = /^\/(?:control|devices?|leases|sessions?)(?:\/|$)|\/:udid(?:\/|$)/;

/**
 * Whether the access of a route has to say `atNode`, because the route is about phones or sessions. The start stops
 * on one that does not, so that no new route opens to a node's own accounts what belongs to the hub.
 */
export function mustSayAtNode(path: string): boolean {
  return ABOUT_LAB.test(path);
}

/** What the access says; a route that says nothing is about neither phones nor sessions. */
export function atNode(access: Access): AtNode {
  return access.kind === 'public' ? 'own' : (access.atNode ?? 'own');
}
