import {
  type Audit,
  actorOf,
  type Caller,
  type Clock,
  type Log,
  type Random,
  Refusal,
  reauthorize,
  type Stores,
} from '@svc/auth-core';
import { MANAGE_APPS } from '@svc/contract';
import { appName } from './app-name.ts';
import type { AppFiles, AppStore, LibraryApp, OpenFile, ReceivedFile } from './library-app.ts';

export interface AppBounds {
  /** Maximum size of one app, in bytes. */
  readonly appBytes: number;
  /** Maximum total size of all apps, including running uploads, in bytes. */
  readonly allBytes: number;
}

const MOST_APPS = 1_000;
const MOST_UPLOADS = 8;
const MOST_UPLOADS_OF_ONE = 4;

interface Tools {
  readonly apps: AppStore;
  readonly files: AppFiles;
  readonly stores: Pick<Stores, 'accounts' | 'transaction'>;
  readonly authenticator: { checkStillGood(caller: Caller): void };
  readonly audit: Audit;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** An upload in progress. The upload counts towards the limits until it ends. */
interface Upload {
  readonly accountId: string;
  bytes: number;
}

/**
 * Stores apps that drivers install, in one library for the whole lab. A file is stored before its database row and
 * removed after this row, so that a row always has a file. A file without a row is removed at the next start.
 */
export class AppLibrary {
  readonly #tools: Tools;
  readonly #bounds: AppBounds;
  readonly #uploads = new Set<Upload>();
  /** Number and size of all stored apps. Undefined after a change, so that they are read from the database again. */
  #stored: ReturnType<AppStore['totals']> | undefined;

  /** Creates the library, and removes incomplete uploads and unused files that a crash left. */
  constructor(tools: Tools, bounds: AppBounds) {
    this.#tools = tools;
    this.#bounds = bounds;
    this.#tidy();
  }

  list(_caller: Caller): LibraryApp[] {
    return this.#tools.apps.list();
  }

  /** Returns whether an app with this id exists. Called when a session refers to an app by its id. */
  has(id: string): boolean {
    return this.#tools.apps.byId(id) !== undefined;
  }

  /** Returns an app. Throws `not_found` if the id is unknown. */
  byId(id: string): LibraryApp {
    const app = this.#tools.apps.byId(id);
    if (app === undefined) throw new Refusal('not_found', 'unknown app');
    return app;
  }

  /**
   * Stores an uploaded app. `receive` must read the request and call `store` with the name and the content of the file.
   * It resolves to the result of `store` once the whole request has been read. `add` throws `too_many_uploads`,
   * `app_library_full`, `body_too_large` or `disk_full` if a limit is exceeded, and a refusal if the caller loses the
   * right to upload before the upload ends. It also throws the errors of `receive`. After an error, no part of the file
   * remains.
   */
  async add(
    caller: Caller,
    receive: (
      store: (name: string | undefined, content: AsyncIterable<Uint8Array>) => Promise<ReceivedFile>,
    ) => Promise<ReceivedFile>,
  ): Promise<LibraryApp> {
    const upload = this.#begin(caller.account.id);
    let name = '';
    let file: ReceivedFile | undefined;
    try {
      await receive(async (given, content) => {
        name = appName(given);
        file = await this.#tools.files.receive(content, (bytes) => this.#take(upload, bytes));
        return file;
      });
      if (file === undefined) throw new Refusal('bad_request', 'no file');
      return await this.#keep(caller, name, file);
    } catch (error) {
      await file?.discard();
      throw error;
    } finally {
      this.#uploads.delete(upload);
    }
  }

  /** Removes an app. Downloads in progress can still read the file. */
  async remove(caller: Caller, id: string): Promise<void> {
    const { apps, files, stores, audit } = this.#tools;
    stores.transaction((tx) => {
      const { sha256 } = this.byId(id);
      apps.remove(id);
      audit.record(tx, 'app_deleted', { ...actorOf(caller), target: id, reason: `sha256 ${sha256}` });
    });
    this.#stored = undefined;
    await files.remove(id);
  }

  /**
   * Opens the file of an app. Throws `not_found` if the app or its file does not exist. The caller must check the right
   * to read the app, and must close the file.
   */
  async open(id: string): Promise<{ readonly app: LibraryApp; readonly file: OpenFile }> {
    const app = this.byId(id);
    const file = await this.#tools.files.open(id);
    if (file === undefined) throw new Refusal('not_found', 'the file of the app is gone');
    return { app, file };
  }

  #begin(accountId: string): Upload {
    const own = [...this.#uploads].filter((upload) => upload.accountId === accountId).length;
    if (own >= MOST_UPLOADS_OF_ONE || this.#uploads.size >= MOST_UPLOADS)
      throw new Refusal('too_many_uploads');
    this.#checkRoom(1);
    const upload = { accountId, bytes: 0 };
    this.#uploads.add(upload);
    return upload;
  }

  #take(upload: Upload, bytes: number): void {
    upload.bytes += bytes;
    if (upload.bytes > this.#bounds.appBytes) throw new Refusal('body_too_large');
    this.#checkRoom(0);
  }

  /**
   * Throws `app_library_full` if the library has no room for the uploads in progress and for `more` uploads that are
   * about to start.
   */
  #checkRoom(more: number): void {
    this.#stored ??= this.#tools.apps.totals();
    const { count, bytes } = this.#stored;
    const incoming = [...this.#uploads].reduce((sum, upload) => sum + upload.bytes, 0);
    const isFull = count + this.#uploads.size + more > MOST_APPS || bytes + incoming > this.#bounds.allBytes;
    if (isFull) throw new Refusal('app_library_full');
  }

  async #keep(caller: Caller, name: string, file: ReceivedFile): Promise<LibraryApp> {
    const { apps, stores, audit, clock, random } = this.#tools;
    const { size, sha256 } = file;
    const id = random.uuid();
    await file.keep(id);
    const uploadedBy = caller.account.id;
    const app: LibraryApp = { id, name, size, sha256, createdAt: clock.now(), uploadedBy };
    stores.transaction((tx) => {
      // Check the caller's right to upload again, because the caller may have lost it during the upload.
      const uploader = reauthorize(caller, MANAGE_APPS, this.#tools);
      apps.insert(app);
      audit.record(tx, 'app_uploaded', { ...actorOf(uploader), target: id, reason: `sha256 ${sha256}` });
    });
    this.#stored = undefined;
    return app;
  }

  #tidy(): void {
    const { apps, files, log } = this.#tools;
    const { removed, missing } = files.tidy(new Map(apps.list().map(({ id, size }) => [id, size])));
    for (const id of missing) {
      apps.remove(id);
      log.warn('An app was removed from the library because its file is missing or incomplete', { app: id });
    }
    if (removed > 0) log.warn(`Deleted ${removed} files of unfinished uploads or removed apps`);
  }
}
