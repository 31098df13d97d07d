/** A node as it is stored for the next start of the hub. Times are ms since 1970. */
export interface NodeRecord {
  /** Host and port of its address. Used as its name everywhere. */
  readonly name: string;
  /** Scheme, host and port at which the hub reaches it. */
  readonly url: string;
  /** Base path of its automation server, or empty. */
  readonly basePath: string;
  readonly version: string;
  /** Account that registered it, and the only one that may renew it. */
  readonly ownerId: string;
  readonly registeredAt: number;
  /** Accurate to the minute. */
  readonly lastSeenAt: number;
  /** SHA-256 of the public key of its first certificate in base64, or null if there was none. */
  readonly keyPin: string | null;
}

/** Synchronous like the other stores. */
export interface NodeStore {
  /** Sorted by name. */
  all(): NodeRecord[];
  /** Adds a node or replaces the one with the same name. */
  save(node: NodeRecord): void;
  /** Removing an unknown node has no effect. */
  remove(name: string): void;
}
