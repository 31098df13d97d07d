/** Decides when a waiting password is hashed: whether it has priority, and whose share of the queue it takes. */
export interface HashingPlace {
  /**
   * Whether the request comes from a signed-in caller, or from an address that signed in to the account before. These
   * requests have priority.
   */
  readonly known: boolean;
  /**
   * Sender of the request (see `RequestOrigin.sender`), or null if there is none. A single sender cannot fill the
   * queue.
   */
  readonly sender: string | null;
}

/** Hashes passwords with bcrypt outside the event loop. Rejects with the refusal `overloaded` if the queue is full. */
export interface PasswordHasher {
  /** Hashes a password. `place` is absent if the server itself needs the hash, not a request. */
  hash(password: string, place?: HashingPlace): Promise<string>;
  /**
   * Compares a password with a hash. If `workCost` is given, the comparison takes at least as long as one at this cost,
   * so that its time does not show the cost of the hash.
   */
  matches(
    password: string,
    hash: string,
    options?: { readonly place?: HashingPlace; readonly workCost?: number },
  ): Promise<boolean>;
}
