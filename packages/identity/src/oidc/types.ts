import type { Clock } from '@svc/auth-core';
import type { Outbound } from '@svc/outbound';

/** Settings of the provider, and what its client needs to reach it. */
export interface OidcProviderOptions {
  /** Issuer exactly as it was configured. */
  readonly issuer: string;
  readonly clientId: string;
  /** Secret of the client, or null for a public client. */
  readonly clientSecret: string | null;
  /** Scopes to request, separated by spaces. */
  readonly scopes: string;
  /** Claim with the groups of a person: its exact name, or a path of names separated by dots. */
  readonly groupsClaim: string;
  /** Address of this server to which the provider sends the browser back. */
  readonly redirectUri: string;
  readonly outbound: Outbound;
  readonly clock: Clock;
  /** Time limit of all requests of one step together (ms); 10 seconds if absent. */
  readonly timeLimitMs?: number;
}

/** What this server keeps of a sign-in until the provider sends the browser back. All of it is secret. */
export interface OidcTransaction {
  readonly state: string;
  readonly nonce: string;
  /** Code verifier of PKCE. */
  readonly verifier: string;
}

/** Error of a step with the provider. The message is for the log and the audit trail, and never holds a secret. */
export class ProviderError extends Error {
  /** `unavailable`: the provider gave no answer in time. `failed`: an answer, or the browser's request, does not hold. */
  readonly kind: 'unavailable' | 'failed';

  constructor(kind: 'unavailable' | 'failed', message: string) {
    super(message);
    this.name = 'ProviderError';
    this.kind = kind;
  }
}
