import { rm, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PictureType } from '@svc/contract';
import { AppendFile } from './append-file.ts';
import { ChunkWriter, type WaitingPicture } from './chunk-writer.ts';
import { encodeJson, FILE_HEAD, RECORD } from './format.ts';
import { PictureCopies } from './picture-copies.ts';
import { FILE_MODE, keyOf, logFile, type Places } from './places.ts';
import {
  emptyIndex,
  type KeptMode,
  type LogFile,
  type LogRow,
  type Mark,
  MOST_LOG_ROWS,
  type RecordingIndex,
} from './recording.ts';

const ROWS_OF_FILE = 1_000;
/**
 * Maximum time (ms) for which pictures wait in memory to be written together. If each picture were written on its own,
 * the many writes would slow down the requests of the server.
 */
const PICTURES_EVERY_MS = 1_000;
/**
 * Maximum difference (ms) between the waiting times of two recordings. The times differ so that not all recordings
 * write at the same moment.
 */
const PICTURES_SPREAD_MS = 250;
/** Size of waiting pictures at which they are written immediately. */
const MOST_DELAYED_BYTES = 1024 * 1024;
/**
 * Maximum bytes that one recording may hold in memory while the disk is slow. Beyond it, pictures and rows are dropped.
 */
const MOST_WAITING_BYTES = 8 * 1024 * 1024;

export interface WriterOptions {
  readonly places: Places;
  readonly session: string;
  readonly mode: KeptMode;
  readonly startedAt: number;
  /**
   * Resolves when the store has completed or deleted the recordings that an earlier process left unfinished. The writer
   * writes nothing before that.
   */
  readonly ready: Promise<void>;
  /** Called once if a write fails. Nothing is written after that. */
  readonly failed: (error: unknown) => void;
  /** Called with the number of bytes that a write added to the disk. Negative if a file was deleted. */
  readonly stored: (bytes: number) => void;
  /** Called with the size of each picture that is queued for writing. */
  readonly taken: (bytes: number) => void;
}

type Step = () => Promise<void>;

/**
 * Writes one recording. Each method only queues its write and returns; writes run one after the other. The index
 * contains only what has been written, so that everything a reader gets survives a crash of the process.
 */
export class RecordingWriter {
  readonly index: RecordingIndex;
  readonly key: string;
  readonly #options: WriterOptions;
  readonly #folder: string;
  readonly #steps: Step[] = [];
  #waitingBytes = 0;
  /** Pictures that wait to be queued together as one write. `#waitingBytes` counts only queued data, not these. */
  #pictures: WaitingPicture[] = [];
  #pictureBytes = 0;
  readonly #copies = new PictureCopies();
  readonly #picturesEveryMs: number;
  #picturesTimer: NodeJS.Timeout | undefined;
  #isRunning = false;
  readonly #chunks: ChunkWriter;
  #log: { readonly file: AppendFile; readonly entry: LogFile } | undefined;
  readonly #logBytes = new Map<number, number>();
  #nextSeq = 1;
  #bytes = 0;
  #disk = 0;
  #hasFailed = false;

  constructor(options: WriterOptions) {
    const { session, mode, startedAt, places } = options;
    this.#options = options;
    this.index = emptyIndex(session, mode, startedAt);
    this.key = keyOf(session);
    this.#picturesEveryMs = picturesEveryMs(this.key);
    this.#folder = places.folderOf(this.key);
    this.#chunks = new ChunkWriter(this.#folder, this.index, (bytes) => this.#count(bytes));
    this.#queue(0, () => this.#begin());
  }

  /** Bytes of the pictures that are written or queued. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Bytes of the recording's files on the disk. */
  get diskBytes(): number {
    return this.#disk;
  }

  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Whether the disk is fast enough. If false, too many bytes are queued, and the caller should drop pictures. */
  get keepsUp(): boolean {
    return this.#waitingBytes + this.#pictureBytes <= MOST_WAITING_BYTES;
  }

  /**
   * Adds a picture, which is written within about a second, or earlier with the next mark. Until then the caller must
   * not change `bytes`, because a large picture is not copied.
   */
  picture(at: number, type: PictureType, bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    this.#options.taken(bytes.length);
    this.#pictures.push({ at, type, bytes: this.#copies.copy(bytes) });
    this.#pictureBytes += bytes.length;
    if (this.#pictureBytes >= MOST_DELAYED_BYTES) this.#writePictures();
    else this.#picturesTimer ??= setTimeout(() => this.#writePictures(), this.#picturesEveryMs).unref();
  }

  mark(mark: Mark): void {
    this.#writePictures();
    const record = encodeJson(RECORD.mark, mark.at, mark);
    this.#queue(record.length, async () => {
      await this.#chunks.append(record);
      this.index.marks.push(mark);
    });
  }

  lines(rows: readonly Omit<LogRow, 'seq'>[]): void {
    const [{ at } = { at: 0 }] = rows;
    const numbered = rows.map((row) => {
      const seq = this.#nextSeq;
      this.#nextSeq += 1;
      return { seq, ...row };
    });
    const record = encodeJson(RECORD.lines, at, numbered);
    this.#queue(record.length, async () => {
      const { file, entry } = await this.#logFor(numbered[0]?.seq ?? 1);
      await file.append(record);
      this.#count(record.length);
      entry.rows += numbered.length;
      this.#logBytes.set(entry.index, file.size);
    });
  }

  /** Resolves when every earlier queued write is done or has failed. */
  flush(): Promise<void> {
    this.#writePictures();
    return new Promise((done) => {
      this.#steps.push(async () => done());
      this.#run();
    });
  }

  /** Writes all queued data and closes the files. The caller must not add anything afterwards. */
  async close(endedAt: number): Promise<void> {
    await this.flush();
    await this.#closeFiles().catch((error: unknown) => this.#fail(error));
    this.index.endedAt = endedAt;
  }

  #queue(bytes: number, write: Step): void {
    this.#waitingBytes += bytes;
    this.#steps.push(async () => {
      this.#waitingBytes -= bytes;
      if (this.#hasFailed) return;
      try {
        await write();
      } catch (error) {
        await this.#closeFiles().catch(() => undefined);
        this.#fail(error);
      }
    });
    this.#run();
  }

  #run(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#work();
  }

  /**
   * Runs the queued steps one after the other, including those that are queued meanwhile. Errors need no handling here,
   * because no step throws.
   */
  async #work(): Promise<void> {
    for (let step = this.#steps.shift(); step !== undefined; step = this.#steps.shift()) await step();
    this.#isRunning = false;
  }

  async #begin(): Promise<void> {
    const { places, startedAt, session, mode, ready } = this.#options;
    await ready;
    // Delete an earlier recording of another session with the same id. Some drivers use an id more than once.
    await rm(this.#folder, { recursive: true, force: true });
    await rm(join(places.removed, this.key), { force: true });
    await places.makeFolder(this.key);
    await writeFile(join(places.open, this.key), '', { mode: FILE_MODE });
    await this.#chunks.append(encodeJson(RECORD.start, startedAt, { session, mode, startedAt }));
  }

  #writePictures(): void {
    clearTimeout(this.#picturesTimer);
    this.#picturesTimer = undefined;
    const pictures = this.#pictures;
    if (pictures.length === 0) return;
    const written = this.#copies.endBlock();
    this.#queue(this.#pictureBytes, () => this.#chunks.write(pictures).finally(written));
    this.#pictures = [];
    this.#pictureBytes = 0;
  }

  async #logFor(seq: number): Promise<{ file: AppendFile; entry: LogFile }> {
    const open = this.#log;
    if (open !== undefined && open.entry.rows < ROWS_OF_FILE) return open;
    this.#log = undefined;
    await open?.file.finish();
    await this.#dropOldRows();
    const index = (open?.entry.index ?? -1) + 1;
    const file = await AppendFile.create(join(this.#folder, logFile(index)));
    this.#count(FILE_HEAD.length);
    const entry: LogFile = { index, first: seq, rows: 0 };
    this.index.logFiles.push(entry);
    this.#log = { file, entry };
    return this.#log;
  }

  /** Deletes the oldest file of rows of the device log if the other files contain `MOST_LOG_ROWS` rows. */
  async #dropOldRows(): Promise<void> {
    const [oldest, second] = this.index.logFiles;
    if (oldest === undefined || second === undefined || this.#nextSeq - second.first <= MOST_LOG_ROWS) return;
    this.index.logFiles.shift();
    await unlink(join(this.#folder, logFile(oldest.index)));
    this.#count(-(this.#logBytes.get(oldest.index) ?? 0));
    this.#logBytes.delete(oldest.index);
  }

  #count(bytes: number): void {
    this.#disk += bytes;
    this.#options.stored(bytes);
  }

  async #closeFiles(): Promise<void> {
    const log = this.#log;
    this.#log = undefined;
    await this.#chunks.close();
    await log?.file.finish();
  }

  #fail(error: unknown): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#options.failed(error);
  }
}

/** @returns the waiting time (ms) for the pictures of a recording, which differs from recording to recording */
function picturesEveryMs(key: string): number {
  return PICTURES_EVERY_MS - (Number.parseInt(key.slice(0, 4), 16) / 0x1_00_00) * PICTURES_SPREAD_MS;
}
