/** An app of the library, which the whole lab shares. Its file is stored under its id. */
export interface LibraryApp {
  readonly id: string;
  /** Name for display, never a path. */
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  /** In hex. */
  readonly sha256: string;
  /** ms since 1970. */
  readonly createdAt: number;
}

/** Synchronous like the other stores. Changes are part of the open transaction. */
export interface AppStore {
  insert(app: LibraryApp): void;
  /** Removing an unknown app has no effect. */
  remove(id: string): void;
  byId(id: string): LibraryApp | undefined;
  /** Newest first. */
  list(): LibraryApp[];
  totals(): { readonly count: number; readonly bytes: number };
}

/** A completely received file, stored under a temporary name until it is kept or discarded. */
export interface ReceivedFile {
  readonly size: number;
  readonly sha256: string;
  /** Renames the file to `id`. From then on it survives a power failure. */
  keep(id: string): Promise<void>;
  /** Removes the file, whether it was kept or not. Never throws. */
  discard(): Promise<void>;
}

export interface OpenFile {
  readonly size: number;
  read(): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/** Stores the files of the library by id. */
export interface AppFiles {
  /**
   * Receives a file. `take` is called with the size of every chunk before it is written, and may throw to stop. An
   * incomplete file is removed. Throws the refusal `disk_full`.
   */
  receive(content: AsyncIterable<Uint8Array>, take: (bytes: number) => void): Promise<ReceivedFile>;
  /**
   * Opens a file, which can be read to its end even if it is removed meanwhile.
   * @returns undefined if the file does not exist
   */
  open(id: string): Promise<OpenFile | undefined>;
  /** Removing a file that does not exist has no effect. */
  remove(id: string): Promise<void>;
  /**
   * Removes incomplete uploads and every file whose id is not in `sizes`. `missing` are the ids without a complete
   * file.
   */
  tidy(sizes: ReadonlyMap<string, number>): { readonly removed: number; readonly missing: readonly string[] };
}
