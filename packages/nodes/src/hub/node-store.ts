/** Record of a node that is stored for the next start of the hub. Times are ms since 1970. */
export interface NodeRecord {
  /** Host and port of the node's address, used as the name of the node everywhere. */
  readonly name: string;
  /** Scheme, host and port at which the hub reaches the node. */
  readonly url: string;
  /** Base path of the node's automation server, or an empty text. */
  readonly basePath: string;
  readonly version: string;
  /** Id of the account that registered the node. Only this account may renew the registration. */
  readonly ownerId: string;
  readonly registeredAt: number;
  /**
   * Time of the last report. Stored at most once a minute, so later reports may have arrived within a minute after it.
   */
  readonly lastSeenAt: number;
  /**
   * SHA-256, in base64, of the public key in the first TLS certificate that the node presented. Null if the node has
   * not presented a certificate.
   */
  readonly keyPin: string | null;
}

/** Stores the nodes of a hub. The methods are synchronous, because the database is SQLite in the same process. */
export interface NodeStore {
  /** Returns all nodes, sorted by name. */
  all(): NodeRecord[];
  /** Adds a node or replaces the one with the same name. */
  save(node: NodeRecord): void;
  /** Removes a node. Removing an unknown node has no effect. */
  remove(name: string): void;
}
