import type { BearerAudience, Role, Status } from '@svc/contract';
import type { RateBuckets } from './limits/rate-buckets.ts';
import type { RequestOrigin } from './request-origin.ts';
import type { ScopeSet } from './scopes.ts';

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
  /** Raised whenever all sign-ins end at once (reset); bearer tokens minted from older sign-ins stop (issue rule of 5.10.4). */
  readonly signInEpoch: number;
  /** Set while the account has a password somebody else chose: after this moment (ms) it no longer signs in. */
  readonly temporaryPasswordUntil: number | null;
  /** True while the account still has the built-in default password (contract 5). */
  readonly defaultPassword: boolean;
}

/** How a caller proved who they are. `none`: sign-in is turned off (specification 5.12). */
export type Credential =
  | { readonly kind: 'key'; readonly id: string; readonly rateLimit: number }
  | {
      readonly kind: 'bearer';
      readonly id: string;
      readonly audience: BearerAudience;
      readonly fromSignIn: boolean;
    }
  | { readonly kind: 'sign-in'; readonly id: string; readonly limited: boolean }
  | { readonly kind: 'session-token'; readonly id: string }
  | { readonly kind: 'none' };

export type CredentialKind = Credential['kind'];

/**
 * Somebody whose credential was verified in this very request, with what they may do now. Only `authenticate`
 * makes one; use cases take a Caller as their first argument and cannot be called without.
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
  /** The team a key is bound to; everything minted from it keeps the bond. */
  readonly teamId: string | null;
  /** This very request moved the end of the sign-in; the browser's copy of it has to follow. */
  readonly extended: boolean;
  /** What they may still ask for, when it is known without looking (specification 8.1). */
  readonly rateBuckets?: RateBuckets;
  /** The request it was proven in. */
  readonly from: RequestOrigin;
}
