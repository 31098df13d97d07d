import { join } from 'node:path';
import type { PictureType } from '@svc/contract';
import { AppendFile } from './append-file.ts';
import { encodeHead, FILE_HEAD, RECORD, RECORD_HEAD_BYTES } from './format.ts';
import { chunkFile } from './places.ts';
import type { Chunk, RecordingIndex } from './recording.ts';

/**
 * Size at which a chunk is full, so that the next picture begins a new one. Chunks are small so that a viewer can load
 * a recording in pieces.
 */
const CHUNK_BYTES = 2 * 1024 * 1024;
const CHUNK_MS = 30_000;

/** A picture that is not written yet. */
export interface WaitingPicture {
  readonly at: number;
  readonly type: PictureType;
  readonly bytes: Uint8Array;
}

interface OpenChunk {
  readonly file: AppendFile;
  readonly chunk: Chunk;
}

/** Writes the chunks of one recording. A method must not be called before the previous call has resolved. */
export class ChunkWriter {
  readonly #folder: string;
  readonly #index: Pick<RecordingIndex, 'chunks'>;
  readonly #stored: (bytes: number) => void;
  #open: OpenChunk | undefined;
  #count = 0;

  /** @param stored called after each write with the number of bytes that were added to the disk */
  constructor(folder: string, index: Pick<RecordingIndex, 'chunks'>, stored: (bytes: number) => void) {
    this.#folder = folder;
    this.#index = index;
    this.#stored = stored;
  }

  /** Writes a record that is not a picture. */
  async append(record: Uint8Array): Promise<void> {
    const { file } = this.#open ?? (await this.#begin());
    await this.#write(file, [record]);
  }

  /** Writes pictures, with one write for each chunk (file), and adds them to the index. */
  async write(pictures: readonly WaitingPicture[]): Promise<void> {
    for (let rest = pictures; rest.length > 0; ) {
      const { file, chunk } = await this.#chunkFor(rest[0] as WaitingPicture);
      const fitting = countFitting(rest, file.size, chunk.pictures[0]?.at);
      await this.#writeInto({ file, chunk }, rest.slice(0, fitting));
      rest = rest.slice(fitting);
    }
  }

  async close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.file.finish();
  }

  async #writeInto({ file, chunk }: OpenChunk, pictures: readonly WaitingPicture[]): Promise<void> {
    const records = pictures.flatMap(({ at, type, bytes }) => [
      encodeHead(type === 'image/png' ? RECORD.png : RECORD.jpeg, at, bytes),
      bytes,
    ]);
    let end = await this.#write(file, records);
    for (const { at, type, bytes } of pictures) {
      chunk.pictures.push({ at, offset: end + RECORD_HEAD_BYTES, bytes: bytes.length, type });
      end += RECORD_HEAD_BYTES + bytes.length;
    }
  }

  async #chunkFor({ at }: WaitingPicture): Promise<OpenChunk> {
    const open = this.#open;
    const first = open?.chunk.pictures[0];
    if (open !== undefined && (first === undefined || !isFull(open.file.size, at - first.at))) return open;
    await this.close();
    return await this.#begin();
  }

  async #begin(): Promise<OpenChunk> {
    const index = this.#count;
    this.#count += 1;
    const file = await AppendFile.create(join(this.#folder, chunkFile(index)));
    this.#stored(FILE_HEAD.length);
    const chunk: Chunk = { index, pictures: [] };
    this.#index.chunks.push(chunk);
    this.#open = { file, chunk };
    return this.#open;
  }

  /** @returns the offset in the file at which the records begin */
  async #write(file: AppendFile, records: readonly Uint8Array[]): Promise<number> {
    const offset = await file.append(...records);
    this.#stored(file.size - offset);
    return offset;
  }
}

/**
 * Returns how many of the given pictures fit into a chunk. The result is at least 1.
 *
 * @param fileSize size of the chunk's file
 * @param firstAt time of the first picture in the chunk, or undefined if the chunk has no picture
 */
function countFitting(
  pictures: readonly WaitingPicture[],
  fileSize: number,
  firstAt = pictures[0]?.at ?? 0,
): number {
  let end = fileSize;
  const full = pictures.findIndex(({ at, bytes }, nth) => {
    if (nth > 0 && isFull(end, at - firstAt)) return true;
    end += RECORD_HEAD_BYTES + bytes.length;
    return false;
  });
  return full < 0 ? pictures.length : full;
}

function isFull(bytes: number, ms: number): boolean {
  return bytes >= CHUNK_BYTES || ms >= CHUNK_MS;
}
