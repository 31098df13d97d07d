import { readdir, readFile, truncate, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type FoundRecord, RECORD, recordsIn } from './format.ts';
import { indexOf } from './places.ts';
import {
  type Chunk,
  emptyIndex,
  type KeptMode,
  type LogRow,
  type Mark,
  type RecordingIndex,
} from './recording.ts';

/**
 * Rebuilds the index of a recording from its files, because the process that wrote them was killed before it wrote the
 * index. Each file is cut after its last complete record.
 * @returns the index, or null if it cannot be rebuilt because the record with the session id is missing
 */
export async function recover(folder: string): Promise<RecordingIndex | null> {
  const names = (await readdir(folder)).sort();
  let index: RecordingIndex | null = null;
  let last = 0;
  for (const name of names) {
    const number = indexOf(name, 'chunk');
    if (number === undefined) continue;
    const records = await wholeRecords(join(folder, name));
    index ??= startOf(records[0]);
    if (index === null) return null;
    if (records.length > 0) index.chunks.push(takeChunk(number, records, index.marks));
    last = Math.max(last, records.at(-1)?.at ?? 0);
  }
  if (index === null) return null;
  for (const name of names) {
    const number = indexOf(name, 'log');
    if (number === undefined) continue;
    const records = await wholeRecords(join(folder, name));
    const rows = records.flatMap(({ payload }) => JSON.parse(payload.toString('utf8')) as LogRow[]);
    const [first] = rows;
    if (first !== undefined) index.logFiles.push({ index: number, first: first.seq, rows: rows.length });
    last = Math.max(last, rows.at(-1)?.at ?? 0);
  }
  index.endedAt = Math.max(last, index.startedAt);
  return index;
}

/**
 * Returns the complete records of a file and removes what follows them. A file without a complete record is deleted.
 */
async function wholeRecords(file: string): Promise<FoundRecord[]> {
  const content = await readFile(file);
  const { records, whole } = recordsIn(content);
  if (records.length === 0) await unlink(file);
  else if (whole < content.length) await truncate(file, whole);
  return records;
}

/**
 * @param record first record of a recording, which names the session
 * @returns an index without pictures, or null if `record` is missing or is not a start record
 */
function startOf(record: FoundRecord | undefined): RecordingIndex | null {
  if (record?.type !== RECORD.start) return null;
  const { session, mode, startedAt } = JSON.parse(record.payload.toString('utf8')) as {
    session: string;
    mode: KeptMode;
    startedAt: number;
  };
  return emptyIndex(session, mode, startedAt);
}

function takeChunk(index: number, records: readonly FoundRecord[], marks: Mark[]): Chunk {
  const chunk: Chunk = { index, pictures: [] };
  for (const { type, at, offset, payload } of records) {
    if (type === RECORD.mark) marks.push(JSON.parse(payload.toString('utf8')) as Mark);
    if (type !== RECORD.jpeg && type !== RECORD.png) continue;
    const picture = type === RECORD.png ? 'image/png' : 'image/jpeg';
    chunk.pictures.push({ at, offset, bytes: payload.length, type: picture });
  }
  return chunk;
}
