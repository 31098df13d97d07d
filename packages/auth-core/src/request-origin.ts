/** Where a request came from, as it is stored in every audit row that the request causes. */
export interface RequestOrigin {
  /**
   * Client address that the proxies report (specification 5.9.3). It cannot be trusted, because any client can invent
   * one.
   */
  readonly address: string | null;
  /**
   * Remote address of the socket, which is the address of the client or of the last proxy. Null if there is no
   * connection, or if it has closed.
   */
  readonly peer: string | null;
  /**
   * Address by which unauthenticated clients are counted, because they cannot invent it. Behind a trusted proxy, it is
   * the client address that this proxy reports, because all clients share the address of the proxy. If absent, clients
   * are counted by `peer`.
   */
  readonly sender?: string | null | undefined;
  readonly requestId: string | null;
  /**
   * How the request came: `mcp` if an agent sent it by calling an MCP tool (contract 12), `attach` if it was sent to an
   * attach address (contract 15.4), otherwise null or absent.
   */
  readonly via?: 'mcp' | 'attach' | null;
}

export function senderOf({ sender, peer }: Pick<RequestOrigin, 'sender' | 'peer'>): string | null {
  return sender ?? peer;
}
