import type { Clock } from '@svc/auth-core';
import type { Outbound } from '@svc/outbound';

/** Settings of the provider and of the requests to it. */
export interface OidcProviderOptions {
  /** Issuer, exactly as configured. */
  readonly issuer: string;
  readonly clientId: string;
  /** Secret of the client, or null for a public client. */
  readonly clientSecret: string | null;
  /** Scopes to request, separated by spaces. */
  readonly scopes: string;
  /** Name of the claim that holds a person's groups, or a path of names separated by dots. */
  readonly groupsClaim: string;
  /** Address of this server to which the provider sends the browser back. */
  readonly redirectUri: string;
  readonly outbound: Outbound;
  readonly clock: Clock;
  /** Time limit (ms) for all requests of one step together, such as the exchange of a code; 10 seconds if absent. */
  readonly timeLimitMs?: number;
}

/** State of a sign-in that is kept until the provider redirects the browser back. All fields are secret. */
export interface OidcTransaction {
  readonly state: string;
  readonly nonce: string;
  /** Code verifier of PKCE. */
  readonly verifier: string;
  /**
   * Time (ms since 1970) at which the sign-in began if the provider has to authenticate the person after it, otherwise
   * null (contract 10).
   */
  readonly freshSince: number | null;
}

/**
 * Error of a sign-in or logout through the provider. The message is written to the log and the audit trail, so it never
 * contains a secret.
 */
export class ProviderError extends Error {
  /**
   * `unavailable` if the provider did not respond in time; `failed` if a response or the browser's request is not
   * valid.
   */
  readonly kind: 'unavailable' | 'failed';

  constructor(kind: 'unavailable' | 'failed', message: string) {
    super(message);
    this.name = 'ProviderError';
    this.kind = kind;
  }
}
