/** Where a request came from; goes into every audit row it causes. */
export interface RequestOrigin {
  /** The client's address as the proxies on the way claim it (specification 5.9.3): anybody may invent one. */
  readonly address: string | null;
  /** The socket's own address: a client, or the proxy in front; null: no connection, or one that is gone. */
  readonly peer: string | null;
  /**
   * What strangers are counted by, an address nobody can invent: behind a trusted proxy the client's as the proxy tells
   * it, since all share the proxy's. Absent: the peer.
   */
  readonly sender?: string | null | undefined;
  readonly requestId: string | null;
}

export function senderOf({ sender, peer }: Pick<RequestOrigin, 'sender' | 'peer'>): string | null {
  return sender ?? peer;
}
