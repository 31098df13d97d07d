import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PICTURES, type Places, SUMMARY, writeWhole } from './places.ts';
import {
  type Chunk,
  type KeptMode,
  type LogFile,
  type Mark,
  pictureBytes,
  pictureCount,
  type RecordingIndex,
} from './recording.ts';

/**
 * Summary of a complete recording. The store reads all summaries when it starts. The list of pictures is long and not
 * needed at the start, so it is in a separate file.
 */
export interface Summary {
  readonly format: 1;
  readonly session: string;
  readonly mode: KeptMode;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly pictures: number;
  readonly bytes: number;
  /** Bytes of all files of the recording except this summary and the list of pictures. */
  readonly diskBytes: number;
  readonly marks: readonly Mark[];
  readonly logFiles: readonly LogFile[];
}

type PictureRow = readonly [at: number, offset: number, bytes: number, isPng: 0 | 1];

/**
 * Writes the list of pictures and the summary into the folder of the recording. The summary is written last, because a
 * recording that has one counts as complete.
 */
export async function writeIndex(
  places: Places,
  key: string,
  index: RecordingIndex,
  diskBytes: number,
): Promise<Summary> {
  const folder = places.folderOf(key);
  const chunks = index.chunks.map(({ pictures }) =>
    pictures.map(
      ({ at, offset, bytes, type }): PictureRow => [at, offset, bytes, type === 'image/png' ? 1 : 0],
    ),
  );
  await writeWhole(places, join(folder, PICTURES), JSON.stringify(chunks));
  const { session, mode, startedAt, endedAt, marks, logFiles } = index;
  const summary: Summary = {
    format: 1,
    session,
    mode,
    startedAt,
    endedAt: endedAt ?? startedAt,
    pictures: pictureCount(index),
    bytes: pictureBytes(index),
    diskBytes,
    marks,
    logFiles,
  };
  await writeWhole(places, join(folder, SUMMARY), JSON.stringify(summary));
  return summary;
}

/** @returns the summary of a recording, or undefined if the recording is not complete */
export async function readSummary(folder: string): Promise<Summary | undefined> {
  const text = await readFile(join(folder, SUMMARY), 'utf8').catch(whenMissing);
  return text === undefined ? undefined : (JSON.parse(text) as Summary);
}

/** @returns the index of a recording, or undefined if the recording is not complete */
export async function readIndex(folder: string): Promise<RecordingIndex | undefined> {
  const summary = await readSummary(folder);
  if (summary === undefined) return undefined;
  const rows = JSON.parse(await readFile(join(folder, PICTURES), 'utf8')) as PictureRow[][];
  const chunks = rows.map(
    (pictures, index): Chunk => ({
      index,
      pictures: pictures.map(([at, offset, bytes, isPng]) => ({
        at,
        offset,
        bytes,
        type: isPng === 1 ? 'image/png' : 'image/jpeg',
      })),
    }),
  );
  const { session, mode, startedAt, endedAt, marks, logFiles } = summary;
  return { session, mode, startedAt, endedAt, marks: [...marks], logFiles: [...logFiles], chunks };
}

/** Handler for `catch`: returns undefined if the file does not exist, and throws every other error again. */
export function whenMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}
