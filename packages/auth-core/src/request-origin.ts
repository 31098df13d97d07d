/** Where a request came from, as it is stored in every audit row that the request causes. */
export interface RequestOrigin {
  /** The client's address as the proxies report it (specification 5.9.3). Any client can invent one. */
  readonly address: string | null;
  /** Remote address of the socket: the client or the proxy. Null if there is no connection, or it has closed. */
  readonly peer: string | null;
  /**
   * Address by which unauthenticated clients are counted, which they cannot invent. Behind a trusted proxy it is the
   * client's address as the proxy reports it, because all clients share the proxy's own. The peer if absent.
   */
  readonly sender?: string | null | undefined;
  readonly requestId: string | null;
}

export function senderOf({ sender, peer }: Pick<RequestOrigin, 'sender' | 'peer'>): string | null {
  return sender ?? peer;
}
