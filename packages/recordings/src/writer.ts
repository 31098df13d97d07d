import { rm, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppendFile } from './append-file.ts';
import {
  encodeJson,
  encodeRecord,
  FILE_HEAD,
  type PictureType,
  RECORD,
  RECORD_HEAD_BYTES,
} from './format.ts';
import { chunkFile, FILE_MODE, keyOf, logFile, type Places } from './places.ts';
import {
  type Chunk,
  emptyIndex,
  type KeptMode,
  type LogFile,
  type LogRow,
  type Mark,
  MOST_LOG_ROWS,
  type RecordingIndex,
} from './recording.ts';

/**
 * Size at which a chunk is full, so that the next picture begins a new one. Chunks are small so that a viewer can load
 * a recording in pieces.
 */
const CHUNK_BYTES = 2 * 1024 * 1024;
const CHUNK_MS = 30_000;
const ROWS_OF_FILE = 1_000;
/**
 * Maximum bytes that one recording may hold in memory while the disk is slow. Beyond it, pictures and rows are dropped.
 */
const MOST_WAITING_BYTES = 8 * 1024 * 1024;

export interface WriterOptions {
  readonly places: Places;
  readonly session: string;
  readonly mode: KeptMode;
  readonly startedAt: number;
  /** Resolves when the store has taken over the files of an earlier process. Nothing is written before. */
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
  #isRunning = false;
  #chunk: { readonly file: AppendFile; readonly chunk: Chunk } | undefined;
  #chunks = 0;
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
    this.#folder = places.folderOf(this.key);
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
    return this.#waitingBytes <= MOST_WAITING_BYTES;
  }

  picture(at: number, type: PictureType, bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    this.#options.taken(bytes.length);
    const record = encodeRecord(type === 'image/png' ? RECORD.png : RECORD.jpeg, at, bytes);
    this.#queue(record.length, async () => {
      const { file, chunk } = await this.#chunkFor(at);
      const offset = await this.#append(file, record);
      chunk.pictures.push({ at, offset: offset + RECORD_HEAD_BYTES, bytes: bytes.length, type });
    });
  }

  mark(mark: Mark): void {
    const record = encodeJson(RECORD.mark, mark.at, mark);
    this.#queue(record.length, async () => {
      const { file } = this.#chunk ?? (await this.#newChunk());
      await this.#append(file, record);
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
      await this.#append(file, record);
      entry.rows += numbered.length;
      this.#logBytes.set(entry.index, file.size);
    });
  }

  /** Resolves when every earlier queued write is done or has failed. */
  flush(): Promise<void> {
    return new Promise((done) => {
      this.#steps.push(async () => done());
      this.#run();
    });
  }

  /** Writes what is queued and closes the files. Nothing may be queued afterwards. */
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
    // Delete an earlier recording with the same session id, because a driver may use an id again, even long after the
    // first session.
    await rm(this.#folder, { recursive: true, force: true });
    await rm(join(places.removed, this.key), { force: true });
    await places.makeFolder(this.key);
    await writeFile(join(places.open, this.key), '', { mode: FILE_MODE });
    const { file } = await this.#newChunk();
    await this.#append(file, encodeJson(RECORD.start, startedAt, { session, mode, startedAt }));
  }

  async #chunkFor(at: number): Promise<{ file: AppendFile; chunk: Chunk }> {
    const open = this.#chunk;
    if (open === undefined) return await this.#newChunk();
    const [first] = open.chunk.pictures;
    const isFull = first !== undefined && (open.file.size >= CHUNK_BYTES || at - first.at >= CHUNK_MS);
    if (!isFull) return open;
    this.#chunk = undefined;
    await open.file.finish();
    return await this.#newChunk();
  }

  async #newChunk(): Promise<{ file: AppendFile; chunk: Chunk }> {
    const index = this.#chunks;
    this.#chunks += 1;
    const file = await this.#create(chunkFile(index));
    const chunk: Chunk = { index, pictures: [] };
    this.index.chunks.push(chunk);
    this.#chunk = { file, chunk };
    return this.#chunk;
  }

  async #logFor(seq: number): Promise<{ file: AppendFile; entry: LogFile }> {
    const open = this.#log;
    if (open !== undefined && open.entry.rows < ROWS_OF_FILE) return open;
    this.#log = undefined;
    await open?.file.finish();
    await this.#dropOldRows();
    const index = (open?.entry.index ?? -1) + 1;
    const file = await this.#create(logFile(index));
    const entry: LogFile = { index, first: seq, rows: 0 };
    this.index.logFiles.push(entry);
    this.#log = { file, entry };
    return this.#log;
  }

  /** Deletes the oldest file of rows once all of its rows are beyond the maximum number. */
  async #dropOldRows(): Promise<void> {
    const [oldest, second] = this.index.logFiles;
    if (oldest === undefined || second === undefined || this.#nextSeq - second.first <= MOST_LOG_ROWS) return;
    this.index.logFiles.shift();
    await unlink(join(this.#folder, logFile(oldest.index)));
    this.#count(-(this.#logBytes.get(oldest.index) ?? 0));
    this.#logBytes.delete(oldest.index);
  }

  async #create(name: string): Promise<AppendFile> {
    const file = await AppendFile.create(join(this.#folder, name));
    this.#count(FILE_HEAD.length);
    return file;
  }

  async #append(file: AppendFile, record: Buffer): Promise<number> {
    const offset = await file.append(record);
    this.#count(record.length);
    return offset;
  }

  #count(bytes: number): void {
    this.#disk += bytes;
    this.#options.stored(bytes);
  }

  async #closeFiles(): Promise<void> {
    const files = [this.#chunk?.file, this.#log?.file];
    this.#chunk = undefined;
    this.#log = undefined;
    for (const file of files) await file?.finish();
  }

  #fail(error: unknown): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#options.failed(error);
  }
}
