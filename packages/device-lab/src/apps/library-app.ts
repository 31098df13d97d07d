/** An app of the library, which all users of the lab share. The app's file is stored under the app's id. */
export interface LibraryApp {
  readonly id: string;
  /** Name that is displayed, and never used as a path. */
  readonly name: string;
  /** Size of the file in bytes. */
  readonly size: number;
  /** SHA-256 of the file in hex. */
  readonly sha256: string;
  /** Time of the upload in ms since 1970. */
  readonly createdAt: number;
  /**
   * Id of the account that uploaded the app, or null if the app was uploaded to an earlier version of svc, which did
   * not store this id.
   */
  readonly uploadedBy: string | null;
}

/**
 * Stores the database rows of the apps. The methods are synchronous, so that changes are part of the open transaction.
 */
export interface AppStore {
  insert(app: LibraryApp): void;
  /** Removes an app. Removing an unknown app has no effect. */
  remove(id: string): void;
  byId(id: string): LibraryApp | undefined;
  /** Returns all apps, newest first. */
  list(): LibraryApp[];
  totals(): { readonly count: number; readonly bytes: number };
}

/** A completely received file. The file has a temporary name until `keep` or `discard` is called. */
export interface ReceivedFile {
  readonly size: number;
  readonly sha256: string;
  /** Renames the file from its temporary name to `id`. Once this resolves, the file survives a power failure. */
  keep(id: string): Promise<void>;
  /** Removes the file, even after `keep`. Never throws. */
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
   * Receives a file. `take` is called with the size of every chunk before it is written, and can throw to stop the
   * upload. An incomplete file is removed. Throws the refusal `disk_full` if the disk has no room.
   */
  receive(content: AsyncIterable<Uint8Array>, take: (bytes: number) => void): Promise<ReceivedFile>;
  /**
   * Opens a file. The file can be read to its end even if it is removed during the read.
   * @returns the file, or undefined if it does not exist
   */
  open(id: string): Promise<OpenFile | undefined>;
  /** Removes a file. Removing a file that does not exist has no effect. */
  remove(id: string): Promise<void>;
  /**
   * Removes incomplete uploads and every file whose id is not in `sizes`.
   * @returns the number of removed files, and in `missing` the ids without a complete file
   */
  tidy(sizes: ReadonlyMap<string, number>): { readonly removed: number; readonly missing: readonly string[] };
}
