/** An app of the library; its file stands under its id. Shared by the whole lab. */
export interface LibraryApp {
  readonly id: string;
  /** For people; never a path. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Hex. */
  readonly sha256: string;
  /** ms since 1970. */
  readonly createdAt: number;
}

/** Synchronous like the other stores. Changes join the open transaction. */
export interface AppStore {
  insert(app: LibraryApp): void;
  /** No effect on an unknown one. */
  remove(id: string): void;
  byId(id: string): LibraryApp | undefined;
  /** Newest first. */
  list(): LibraryApp[];
  totals(): { readonly count: number; readonly bytes: number };
}

/** A file that came in whole and stands under a name of its own until it is kept or discarded. */
export interface ReceivedFile {
  readonly size: number;
  readonly sha256: string;
  /** Gives it the name `id`; it survives a power failure from then on. */
  keep(id: string): Promise<void>;
  /** Removes it, kept or not; never throws. */
  discard(): Promise<void>;
}

export interface OpenFile {
  readonly size: number;
  read(): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/** Where the files of the library are, by id. */
export interface AppFiles {
  /**
   * `take` is told of every chunk before it is written, and throws to end it. A file that does not come in whole
   * leaves nothing. Throws the refusal `disk_full`.
   */
  receive(content: AsyncIterable<Uint8Array>, take: (bytes: number) => void): Promise<ReceivedFile>;
  /** Undefined: there is no such file. It can be read to its end although it is removed meanwhile. */
  open(id: string): Promise<OpenFile | undefined>;
  /** No effect when there is none. */
  remove(id: string): Promise<void>;
  /** Removes what uploads left behind and every file whose id is none of `sizes`; answers the ids without a whole file. */
  tidy(sizes: ReadonlyMap<string, number>): { readonly removed: number; readonly missing: readonly string[] };
}
