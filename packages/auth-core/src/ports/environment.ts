export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
}

export interface Random {
  bytes(length: number): Uint8Array;
  uuid(): string;
}

/** In which queue a password waits for its hashing, and whose share of it it takes. */
export interface HashingPlace {
  /** A signed-in caller, or an address that signed in to the account before: goes before all strangers. */
  readonly known: boolean;
  /** Whose it is, as `RequestOrigin.sender`; null: nobody's. One sender never takes all places. */
  readonly sender: string | null;
}

/** bcrypt off the event loop. Rejects with the refusal `overloaded` when there is no place. */
export interface PasswordHasher {
  /** Without a place: the server itself asks. */
  hash(password: string, place?: HashingPlace): Promise<string>;
  /** `workCost`: take as long as a comparison at this cost takes, however cheap the hash. */
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
