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
  /** Bytes of one app. */
  readonly appBytes: number;
  /** Bytes of all of them, uploads that run included. */
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

/** An upload in progress. Holds its place in the bounds until `end`. */
interface Upload {
  readonly accountId: string;
  bytes: number;
}

/**
 * Apps for drivers to install, one library for the whole lab. A file is kept before its row is written and removed
 * after it is, so that a row always has its file; a file without a row is removed at the next start.
 */
export class AppLibrary {
  readonly #tools: Tools;
  readonly #bounds: AppBounds;
  readonly #uploads = new Set<Upload>();
  /** Of the rows; unset once they change. */
  #stored: ReturnType<AppStore['totals']> | undefined;

  /** Tidies up what a crash left behind. */
  constructor(tools: Tools, bounds: AppBounds) {
    this.#tools = tools;
    this.#bounds = bounds;
    this.#tidy();
  }

  list(_caller: Caller): LibraryApp[] {
    return this.#tools.apps.list();
  }

  /** For sessions, which name an app by its id. */
  has(id: string): boolean {
    return this.#tools.apps.byId(id) !== undefined;
  }

  /** Throws `not_found`. */
  byId(id: string): LibraryApp {
    const app = this.#tools.apps.byId(id);
    if (app === undefined) throw new Refusal('not_found', 'unknown app');
    return app;
  }

  /**
   * Takes an upload in. `receive` hands the file's name and content to what it is given, and resolves with what that
   * resolves with once the whole request is in. Throws `too_many_uploads`, `app_library_full`, `body_too_large`,
   * `disk_full`, what `receive` throws, and what the caller would be refused with by then; nothing is left behind.
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

  /** The file goes on for those who are reading it. */
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

  /** Throws `not_found`. Whoever asks must have been let in; the file must be closed. */
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

  /** `more`: apps that are to come besides the uploads that run. */
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
    const app: LibraryApp = { id, name, size, sha256, createdAt: clock.now() };
    stores.transaction((tx) => {
      // An upload takes its time.
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
      log.warn('An app of the library has no whole file any more and is removed from it', { app: id });
    }
    if (removed > 0) log.warn(`${removed} files of unfinished uploads or removed apps are deleted`);
  }
}
