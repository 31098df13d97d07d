export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
}

export interface Random {
  bytes(length: number): Uint8Array;
  uuid(): string;
}

/** Queue in which a password waits for its hashing, and the sender whose share of it the password uses. */
export interface HashingPlace {
  /** Whether it is a signed-in caller, or an address that signed in to the account before. They have priority. */
  readonly known: boolean;
  /** See `RequestOrigin.sender`; null if there is none. One sender never takes all places in the queue. */
  readonly sender: string | null;
}

/** bcrypt outside the event loop. Rejects with the refusal `overloaded` if the queue is full. */
export interface PasswordHasher {
  /** `place` is absent if the server itself needs the hash. */
  hash(password: string, place?: HashingPlace): Promise<string>;
  /** With `workCost`, takes at least as long as a comparison at this cost, whatever the cost of the hash. */
  matches(
    password: string,
    hash: string,
    options?: { readonly place?: HashingPlace; readonly workCost?: number },
  ): Promise<boolean>;
}

export interface Log {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}
