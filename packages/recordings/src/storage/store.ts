import { readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { readIndex, readSummary, type Summary, whenMissing, writeIndex } from './complete.ts';
import { LiveRecording } from './live-recording.ts';
import { KEY, keyOf, Places, writeWhole } from './places.ts';
import { readable } from './read.ts';
import type { KeptMode, RecordingIndex } from './recording.ts';
import { recover } from './recover.ts';
import type { RecordingCounts, RemovedRecording, StoredRecording, StoreOptions } from './stored.ts';
import { RecordingWriter } from './writer.ts';

interface Complete extends RemovedRecording {
  readonly mode: KeptMode;
  readonly bytes: number;
}

/**
 * Stores the recordings of one server in one folder. Only one process at a time may use the folder, because the store
 * keeps sizes and indexes in memory.
 */
export class RecordingStore {
  readonly counts: RecordingCounts = {
    pictures: 0,
    bytes: 0,
    dropped: { recording: 0, total: 0, disk: 0, lines: 0 },
  };
  readonly #options: StoreOptions;
  readonly #places: Places;
  readonly #live = new Map<string, LiveRecording>();
  readonly #complete = new Map<string, Complete>();
  readonly #finishing = new Map<string, Promise<void>>();
  /** Removals that are running. A second removal of a recording waits for the first one. */
  readonly #removing = new Map<string, Promise<void>>();
  /**
   * Recordings that ended but whose index could not be written. Their index is only in memory until the next start
   * rebuilds it.
   */
  readonly #unwritten = new Map<string, { readonly index: RecordingIndex; readonly bytes: number }>();
  #used = 0;
  #ready: Promise<void> | undefined;
  #trimming: Promise<void> | undefined;

  constructor(options: StoreOptions) {
    this.#options = options;
    this.#places = new Places(options.root);
  }

  /**
   * Bytes of all recordings on the disk. Until `start` has resolved, recordings of earlier processes may be missing.
   */
  get usedBytes(): number {
    return this.#used;
  }

  get count(): number {
    return this.#complete.size + this.#live.size;
  }

  /**
   * Completes the recordings of an earlier process that was killed, and counts the bytes of all recordings. Resolves
   * when both are done.
   */
  start(): Promise<void> {
    this.#ready ??= this.#takeOver().catch((error) =>
      this.#options.warned('The recordings cannot be read', error),
    );
    return this.#ready;
  }

  /** Begins the recording of a session. A new recording replaces an earlier one of a session with the same id. */
  begin(session: string, mode: KeptMode, screenshot: () => Promise<Uint8Array | null>): LiveRecording {
    const { now, recordingBytes: maxBytes, allBytes, failed } = this.#options;
    const writer = new RecordingWriter({
      places: this.#places,
      session,
      mode,
      startedAt: now(),
      ready: this.start(),
      failed: (error) => failed({ session, error }),
      stored: (bytes) => this.#count(bytes),
      taken: (bytes) => {
        this.counts.pictures += 1;
        this.counts.bytes += bytes;
      },
    });
    const hasRoom = () => this.#used <= allBytes || this.#complete.size > 0;
    const { dropped } = this.counts;
    const live = new LiveRecording({ writer, now, maxBytes, hasRoom, dropped, screenshot });
    this.#live.set(writer.key, live);
    this.#used -= this.#complete.get(writer.key)?.bytes ?? 0;
    this.#complete.delete(writer.key);
    return live;
  }

  /** Ends a recording. If `keep` is false, the recording is deleted. */
  finish(live: LiveRecording, keep: boolean): Promise<void> {
    const { key } = live.writer;
    const finishing =
      this.#finishing.get(key) ?? this.#finish(live, keep).finally(() => this.#finishing.delete(key));
    this.#finishing.set(key, finishing);
    return finishing;
  }

  /** Deletes a recording that has ended. Readers then get the same result as if the session was never recorded. */
  async drop(session: string): Promise<void> {
    const key = keyOf(session);
    await this.#finishing.get(key);
    await this.#discard(key, this.#complete.get(key)?.bytes ?? this.#unwritten.get(key)?.bytes ?? 0);
  }

  /**
   * Deletes the recording of a session that has ended without a failure, if the mode of the recording is `failures`.
   * Called for sessions whose recording an earlier process of the server began.
   */
  async dropUnneeded(session: string): Promise<void> {
    await this.start();
    if (this.#complete.get(keyOf(session))?.mode === 'failures') await this.drop(session);
  }

  async #finish(live: LiveRecording, keep: boolean): Promise<void> {
    const { writer } = live;
    const { key, index } = writer;
    live.end();
    await writer.close(Math.max(this.#options.now(), index.startedAt));
    try {
      if (keep) await this.#write(key, index, writer.diskBytes);
      else await this.#discard(key, writer.diskBytes);
    } catch (error) {
      if (keep) this.#unwritten.set(key, { index, bytes: writer.diskBytes });
      this.#options.warned('A recording could not be completed', error);
    } finally {
      this.#live.delete(key);
    }
    this.#trim();
  }

  async find(session: string): Promise<StoredRecording | RemovedRecording | undefined> {
    const key = keyOf(session);
    await this.#finishing.get(key);
    const live = this.#live.get(key);
    await live?.flush();
    const running = live === undefined ? this.#unwritten.get(key)?.index : live.writer.index;
    const folder = this.#places.folderOf(key);
    if (running !== undefined) return readable(folder, running, live !== undefined && !live.writer.hasFailed);
    await this.start();
    await this.#removing.get(key);
    const removed = await this.#removedOf(key);
    if (removed !== undefined) return removed;
    const index = await readIndex(folder).catch(whenMissing);
    // If the index is missing, check again for a removal: the recording may have been removed since the check above.
    return index === undefined ? this.#removedOf(key) : readable(folder, index, false);
  }

  async #removedOf(key: string): Promise<RemovedRecording | undefined> {
    const text = await readFile(join(this.#places.removed, key), 'utf8').catch(whenMissing);
    return text === undefined ? undefined : (JSON.parse(text) as RemovedRecording);
  }

  /** Removes a complete recording, and stores that it was removed. Has no effect if there is no such recording. */
  async remove(session: string): Promise<void> {
    await this.start();
    const key = keyOf(session);
    const complete = this.#complete.get(key);
    const unwritten = this.#unwritten.get(key);
    if (complete !== undefined) await this.#removeKnown(key, complete);
    else if (unwritten !== undefined)
      await this.#removeKnown(key, {
        ...unwritten.index,
        endedAt: unwritten.index.endedAt ?? 0,
        bytes: unwritten.bytes,
      });
  }

  /**
   * Removes recordings that ended before `endedBefore` (ms since 1970), and stores a note that each was removed. If a
   * session is no longer known, deletes its recording without a note, and also a note of an earlier removal.
   */
  async sweep(endedBefore: number, isKnown: (session: string) => boolean): Promise<void> {
    await this.start();
    for (const [key, complete] of [...this.#complete]) {
      if (!isKnown(complete.session)) await this.#discard(key, complete.bytes);
      else if (complete.endedAt < endedBefore) await this.#removeKnown(key, complete);
    }
    for (const key of await readdir(this.#places.removed).catch(() => [])) {
      const file = join(this.#places.removed, key);
      const { session } = JSON.parse(await readFile(file, 'utf8')) as RemovedRecording;
      if (!isKnown(session)) await unlink(file);
    }
  }

  /** Completes the recordings of all running sessions, because the server stops. */
  async close(): Promise<void> {
    await Promise.all([...this.#live.values()].map((live) => this.finish(live, true)));
    await this.#trimming;
  }

  async #takeOver(): Promise<void> {
    const { root, open, temporary } = this.#places;
    const names = await readdir(root).catch(whenMissing);
    if (names === undefined) return;
    await rm(temporary, { recursive: true, force: true });
    await this.#places.make();
    const keys = names.filter((name) => KEY.test(name));
    const interrupted = new Set(await readdir(open).catch(() => []));
    for (const key of keys) {
      if (this.#live.has(key)) continue;
      const summary = interrupted.has(key) ? undefined : await readSummary(this.#places.folderOf(key));
      if (summary !== undefined) this.#add(key, summary);
      else await this.#recover(key);
    }
    for (const key of interrupted) if (!keys.includes(key)) await rm(join(open, key), { force: true });
    this.#trim();
  }

  async #recover(key: string): Promise<void> {
    try {
      const folder = this.#places.folderOf(key);
      const index = await recover(folder);
      const isRemoved = (await stat(join(this.#places.removed, key)).catch(whenMissing)) !== undefined;
      if (index === null || isRemoved || !this.#options.isKept(index.session, index.mode)) {
        await this.#discard(key, 0);
        return;
      }
      const names = await readdir(folder);
      const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
      const bytes = sizes.reduce((sum, size) => sum + size, 0);
      this.#used += bytes;
      await this.#write(key, index, bytes);
    } catch (error) {
      this.#options.warned('An interrupted recording could not be completed', error);
    }
  }

  async #write(key: string, index: RecordingIndex, diskBytes: number): Promise<void> {
    const summary = await writeIndex(this.#places, key, index, diskBytes);
    await rm(join(this.#places.open, key), { force: true });
    this.#complete.set(key, { ...summary, bytes: diskBytes });
  }

  #add(key: string, summary: Summary): void {
    this.#used += summary.diskBytes;
    this.#complete.set(key, { ...summary, bytes: summary.diskBytes });
  }

  #removeKnown(key: string, complete: Complete): Promise<void> {
    const removing =
      this.#removing.get(key) ?? this.#removeFiles(key, complete).finally(() => this.#removing.delete(key));
    this.#removing.set(key, removing);
    return removing;
  }

  async #removeFiles(key: string, { session, startedAt, endedAt, bytes }: Complete): Promise<void> {
    await writeWhole(
      this.#places,
      join(this.#places.removed, key),
      JSON.stringify({ session, startedAt, endedAt }),
    );
    await this.#discard(key, bytes);
  }

  /**
   * Deletes the folder of a recording. The folder is renamed first, so that a reader never finds a recording that is
   * half deleted.
   */
  async #discard(key: string, bytes: number): Promise<void> {
    if (this.#complete.delete(key) || bytes > 0) this.#used -= bytes;
    this.#unwritten.delete(key);
    const going = join(this.#places.temporary, `${key}.${this.#options.now()}`);
    await rename(this.#places.folderOf(key), going).catch(whenMissing);
    await rm(join(this.#places.open, key), { force: true });
    await rm(going, { recursive: true, force: true });
  }

  #count(bytes: number): void {
    this.#used += bytes;
    if (this.#used > this.#options.allBytes) this.#trim();
  }

  /** Removes the oldest complete recordings until all recordings together are no larger than `allBytes`. */
  #trim(): void {
    if (this.#used <= this.#options.allBytes || this.#complete.size === 0) return;
    this.#trimming ??= this.#removeOldest()
      .catch((error) => this.#options.warned('Old recordings could not be removed', error))
      .finally(() => {
        this.#trimming = undefined;
      });
  }

  async #removeOldest(): Promise<void> {
    await this.start();
    while (this.#used > this.#options.allBytes) {
      let oldest: [string, Complete] | undefined;
      for (const entry of this.#complete)
        if (oldest === undefined || entry[1].startedAt < oldest[1].startedAt) oldest = entry;
      if (oldest === undefined) return;
      await this.#removeKnown(...oldest);
    }
  }
}
