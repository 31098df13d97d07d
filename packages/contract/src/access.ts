import type { NodeAction } from './audiences.ts';
import type { Role } from './roles.ts';
import type { Scope } from './scopes.ts';

/** Kinds of credential that the REST API accepts; `none` means that sign-in is turned off (specification 5.12). */
export const REST_CREDENTIALS = ['key', 'bearer', 'sign-in', 'none'] as const;
export type RestCredential = (typeof REST_CREDENTIALS)[number];

/**
 * Who may call a route on a server that is a node (contract 8.3).
 * - `hub`: only the hub of the node, with its token, because the phone or session belongs to the hub.
 * - `own`: the same callers as on any other server.
 */
export type AtNode = 'hub' | 'own';

/**
 * What a route requires of its caller. Every route declares an access, and the server does not start if one is missing.
 * - `public`: no credential.
 * - `ticket`: the handler redeems a single-use ticket.
 * - `caller`: any valid credential with at least `role`, with `scope`, and of one of the kinds in `only`.
 */
export type Access =
  | { readonly kind: 'public' }
  | {
      readonly kind: 'ticket';
      readonly atNode?: AtNode;
      /** On a node, the guard also accepts a token of its hub for this action (contract 8). */
      readonly orHub?: NodeAction;
    }
  | {
      readonly kind: 'caller';
      readonly role?: Role;
      readonly scope?: Scope;
      /** Kinds of credential accepted; all of them if absent. */
      readonly only?: readonly RestCredential[];
      /** A bearer token must have been minted from a sign-in. */
      readonly bearerFromSignIn?: true;
      /** The handler also accepts a ticket in the query instead of a credential. */
      readonly orTicket?: true;
      /** The scraper's own bearer token (`SVC_METRICS_TOKEN`) is accepted instead of a credential. */
      readonly orScrapeToken?: true;
      /** Required for routes about phones and sessions; see `mustSayAtNode`. */
      readonly atNode?: AtNode;
      /** On a node, the guard also accepts a token of its hub for this action (contract 8). */
      readonly orHub?: NodeAction;
    };

/** Access of a route that only authenticated callers reach. */
export type CallerAccess = Extract<Access, { kind: 'caller' }>;
export type PublicAccess = Extract<Access, { kind: 'public' }>;
export type TicketAccess = Extract<Access, { kind: 'ticket' }>;

export const PUBLIC: PublicAccess = { kind: 'public' };
export const TICKET: TicketAccess = { kind: 'ticket' };
/** A ticket for the pictures or log lines of a phone; on a node, a token of its hub. */
export const STREAM_TICKET: TicketAccess = { kind: 'ticket', atNode: 'hub' };
export const ANY_CALLER: CallerAccess = { kind: 'caller' };
/** Any valid credential, for reading about phones and sessions; a node's own accounts may use it too. */
export const READS_LAB: CallerAccess = { kind: 'caller', atNode: 'own' };
/** Any valid credential; on a node, only its hub. */
export const HUB_MANAGED: CallerAccess = { kind: 'caller', atNode: 'hub' };
export const ADMIN: CallerAccess = { kind: 'caller', role: 'Admin', scope: 'admin' };
export const SUPER_ADMIN: CallerAccess = { kind: 'caller', role: 'Super admin', scope: 'admin' };
/** Adding apps to the library and removing them needs `admin`, which counts for Admins only (contract 3.2). */
export const MANAGE_APPS: CallerAccess = { kind: 'caller', role: 'Member', scope: 'admin' };
export const ANY_CALLER_OR_TICKET: CallerAccess = { kind: 'caller', orTicket: true };
export const DEVICES: CallerAccess = { kind: 'caller', role: 'Member', scope: 'devices', atNode: 'hub' };
/** A person's own browser, or any caller while sign-in is turned off (specification 5.12). */
export const SIGN_IN_ONLY: CallerAccess = { kind: 'caller', only: ['sign-in', 'none'] };
/** A person who signed in, including one who uses a bearer token minted from that sign-in. */
export const FROM_SIGN_IN: CallerAccess = {
  kind: 'caller',
  only: ['sign-in', 'bearer', 'none'],
  bearerFromSignIn: true,
};

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
  return access.kind === 'public' ? 'own' : (access.atNode ?? 'own');
}
