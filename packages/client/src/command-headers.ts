import { bearerHeaders, type KeyPair, keyPairHeaders } from './credentials.ts';
import { RenewedBearer, type RenewedBearerOptions } from './renewed-bearer.ts';

export type HeaderValues = Readonly<Record<string, string>>;

/** Headers for every command and every session socket (specification 5.7.2, 5.7.7). */
export interface CommandHeaders {
  /** Names of the headers in lower case, which never change. */
  readonly names: readonly string[];
  /** For callers that cannot wait. Throws a `SvcError` instead of returning an expired token. */
  current(): HeaderValues;
  /** For callers that can wait; renews the token first if that is due. */
  ready(): Promise<HeaderValues>;
  /** Stops the renewals. */
  stop(): void;
}

/**
 * A key pair is sent unchanged. A bearer token is requested with `issue`, and again before it expires:
 * `commandHeaders({ issue: () => client.issueBearer() })`.
 */
export function commandHeaders(source: KeyPair | RenewedBearerOptions): CommandHeaders {
  if ('issue' in source) {
    const bearer = new RenewedBearer(source);
    return {
      names: Object.keys(bearerHeaders('')),
      current: () => bearerHeaders(bearer.current()),
      ready: async () => bearerHeaders(await bearer.ready()),
      stop: () => bearer.stop(),
    };
  }
  const headers = keyPairHeaders(source);
  return {
    names: Object.keys(headers),
    current: () => headers,
    ready: async () => headers,
    stop: () => {},
  };
}
