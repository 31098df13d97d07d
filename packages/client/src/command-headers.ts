import { bearerHeaders, type KeyPair, keyPairHeaders } from './credentials.ts';
import { RenewedBearer, type RenewedBearerOptions } from './renewed-bearer.ts';

export type HeaderValues = Readonly<Record<string, string>>;

/**
 * Credential headers that are sent with every command and when a WebSocket of a session is opened (specification 5.7.2,
 * 5.7.7).
 */
export interface CommandHeaders {
  /** Names of the headers in lower case; the names never change, even when a token is renewed. */
  readonly names: readonly string[];
  /**
   * Returns the headers for callers that cannot wait. Throws a `SvcError` if the token has expired or was never
   * requested.
   */
  current(): HeaderValues;
  /** Returns the headers for callers that can wait. Renews the token first if its renewal is due. */
  ready(): Promise<HeaderValues>;
  /** Stops the timer that renews the token. */
  stop(): void;
}

/**
 * Creates the headers of one credential. A key pair or a fixed token (`bearer`) never changes. With `issue`, the token
 * is requested when it is first needed, and again before it expires:
 * `commandHeaders({ issue: () => client.issueBearer() })`.
 */
export function commandHeaders(
  source: KeyPair | { readonly bearer: string } | RenewedBearerOptions,
): CommandHeaders {
  if ('issue' in source) {
    const bearer = new RenewedBearer(source);
    return {
      names: Object.keys(bearerHeaders('')),
      current: () => bearerHeaders(bearer.current()),
      ready: async () => bearerHeaders(await bearer.ready()),
      stop: () => bearer.stop(),
    };
  }
  const headers = 'bearer' in source ? bearerHeaders(source.bearer) : keyPairHeaders(source);
  return {
    names: Object.keys(headers),
    current: () => headers,
    ready: async () => headers,
    stop: () => {},
  };
}
