export interface Clock {
  /** Returns the current time in ms since 1970. */
  now(): number;
}

export interface Random {
  bytes(length: number): Uint8Array;
  uuid(): string;
}

export interface Log {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}
