export interface ResetLink {
  readonly id: string;
  readonly accountId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface ResetLinkReader {
  /** Finds a reset link by the SHA-256 of its token (hex). Spent and cancelled links are not found. */
  byHash(hash: string): ResetLink | undefined;
}

export interface ResetLinkStore extends ResetLinkReader {
  insert(link: ResetLink, hash: string): void;
  cancelAllOf(accountId: string): void;
  removeExpired(now: number): void;
}
