/** Where a request came from; goes into every audit row it causes. */
export interface RequestOrigin {
  /** The client's address as the proxies on the way claim it (specification 5.9.3): anybody may invent one. */
  readonly address: string | null;
  /** The socket's own address: a client, or the proxy in front; null: no connection, or one that is gone. */
  readonly peer: string | null;
  readonly requestId: string | null;
}
