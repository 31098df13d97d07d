/** A node as it is kept over a restart of the hub. Times are ms since 1970. */
export interface NodeRecord {
  /** Host and port of its address; names it everywhere. */
  readonly name: string;
  /** Scheme, host and port the hub reaches it at. */
  readonly url: string;
  /** Of its automation server; empty: none. */
  readonly basePath: string;
  readonly version: string;
  /** Account that registered it, and the only one that may renew it. */
  readonly ownerId: string;
  readonly registeredAt: number;
  /** To the minute. */
  readonly lastSeenAt: number;
  /** SHA-256 of the public key its certificate had first, base64; null: none was seen. */
  readonly keyPin: string | null;
}

/** Synchronous like the other stores. */
export interface NodeStore {
  /** By name. */
  all(): NodeRecord[];
  /** Adds it or replaces the one of the same name. */
  save(node: NodeRecord): void;
  /** No effect on an unknown one. */
  remove(name: string): void;
}
