import { bearerHeaders, type KeyPair, keyPairHeaders } from './credentials.ts';
import { RenewedBearer, type RenewedBearerOptions } from './renewed-bearer.ts';

export type HeaderValues = Readonly<Record<string, string>>;

/** The headers every command and every session socket needs (specification 5.7.2, 5.7.7). */
export interface CommandHeaders {
  /** Their names, in lower case; they never change. */
  readonly names: readonly string[];
  /** For callers that cannot wait. Throws a `SvcError` rather than return an expired token. */
  current(): HeaderValues;
  /** For callers that can wait: renews first if that is due. */
  ready(): Promise<HeaderValues>;
  /** No more renewals. */
  stop(): void;
}

/**
 * A key pair is sent as it is. A bearer token is asked for with `issue`, and again ahead of its end:
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
