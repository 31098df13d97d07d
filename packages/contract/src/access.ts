import type { NodeAction } from './audiences.ts';
import type { Role } from './roles.ts';
import type { Scope } from './scopes.ts';

/** Kinds of credential the REST API takes; `none`: sign-in is turned off (specification 5.12). */
export const REST_CREDENTIALS = ['key', 'bearer', 'sign-in', 'none'] as const;
export type RestCredential = (typeof REST_CREDENTIALS)[number];

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
      /** At a node, the handler also takes a token of its hub for this action (contract 8). */
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
      /** At a node, a token of its hub for this action stands for a credential; the guard redeems it (contract 8). */
      readonly orHub?: NodeAction;
    };

/** Access of a route that is answered to a proven caller only. */
export type CallerAccess = Extract<Access, { kind: 'caller' }>;
export type PublicAccess = Extract<Access, { kind: 'public' }>;
export type TicketAccess = Extract<Access, { kind: 'ticket' }>;

export const PUBLIC: PublicAccess = { kind: 'public' };
export const TICKET: TicketAccess = { kind: 'ticket' };
export const ANY_CALLER: CallerAccess = { kind: 'caller' };
export const ADMIN: CallerAccess = { kind: 'caller', role: 'Admin', scope: 'admin' };
export const SUPER_ADMIN: CallerAccess = { kind: 'caller', role: 'Super admin', scope: 'admin' };
/** Adds to and removes from the app library: `admin`, which counts for Admins only (contract 3.2). */
export const KEEPS_APPS: CallerAccess = { kind: 'caller', role: 'Member', scope: 'admin' };
export const ANY_CALLER_OR_TICKET: CallerAccess = { kind: 'caller', orTicket: true };
export const DEVICES: CallerAccess = { kind: 'caller', role: 'Member', scope: 'devices' };
/** A person's own browser; sign-in off counts (specification 5.12: everyone is signed in). */
export const SIGN_IN_ONLY: CallerAccess = { kind: 'caller', only: ['sign-in', 'none'] };
/** A person who signed in, also with a bearer token minted from that sign-in. */
export const FROM_SIGN_IN: CallerAccess = {
  kind: 'caller',
  only: ['sign-in', 'bearer', 'none'],
  bearerFromSignIn: true,
};
