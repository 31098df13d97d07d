import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { whenMissing } from './complete.ts';
import { RECORD, recordsIn } from './format.ts';
import { chunkFile, logFile } from './places.ts';
import {
  type Chunk,
  type LogRow,
  logRange,
  pictureAt,
  type RecordingIndex,
  type StoredPicture,
} from './recording.ts';
import type { FoundPicture, StoredRecording } from './stored.ts';

/**
 * @returns the recording in a folder. If the recording is removed while the caller still uses the returned object,
 * `pictureAt` finds no picture, `rows` returns an empty list, and reading a chunk fails.
 */
export function readable(folder: string, index: RecordingIndex, isRunning: boolean): StoredRecording {
  return {
    index,
    isRunning,
    chunk: (wanted) => {
      const chunk = index.chunks.find((each) => each.index === wanted);
      return chunk === undefined || chunk.pictures.length === 0 ? undefined : readChunk(folder, chunk);
    },
    pictureAt: (at) => readPicture(folder, index, at).catch(whenMissing),
    rows: async (after, limit) => (await readRows(folder, index, after, limit).catch(whenMissing)) ?? [],
  };
}

/**
 * Yields the pictures of a chunk. Reads one picture at a time. Rejects if the recording is removed before the chunk is
 * opened.
 */
async function* readChunk(folder: string, { index, pictures }: Chunk): AsyncGenerator<FoundPicture> {
  const handle = await open(join(folder, chunkFile(index)), 'r');
  try {
    // Copy the list. While a session runs, the writer can add pictures to the list during this loop.
    for (const { at, type, offset, bytes } of [...pictures]) {
      const content = Buffer.allocUnsafe(bytes);
      const { bytesRead } = await handle.read(content, 0, bytes, offset);
      if (bytesRead !== bytes) throw new Error('a chunk of a recording is shorter than its index says');
      yield { at, type, bytes: content };
    }
  } finally {
    await handle.close();
  }
}

/** @returns the picture that the phone showed at the time `at`, or undefined if there is none */
async function readPicture(
  folder: string,
  index: RecordingIndex,
  at: number,
): Promise<FoundPicture | undefined> {
  const found = pictureAt(index, at);
  if (found === undefined) return undefined;
  for await (const picture of readChunk(folder, {
    ...found.chunk,
    pictures: [found.picture as StoredPicture],
  }))
    return picture;
  return undefined;
}

/** Returns at most `limit` rows of the device log whose `seq` is greater than `after`, oldest first. */
async function readRows(
  folder: string,
  index: RecordingIndex,
  after: number,
  limit: number,
): Promise<LogRow[]> {
  const { first, last } = logRange(index);
  const from = Math.max(first, after + 1);
  const rows: LogRow[] = [];
  for (const file of index.logFiles) {
    if (file.first + file.rows <= from || rows.length >= limit) continue;
    const { records } = recordsIn(await readFile(join(folder, logFile(file.index))));
    for (const { type, payload } of records) {
      if (type !== RECORD.lines) continue;
      const stored = JSON.parse(payload.toString('utf8')) as LogRow[];
      rows.push(...stored.filter(({ seq }) => seq >= from && seq <= last));
    }
  }
  return rows.slice(0, limit);
}
