import { Readable } from 'node:stream';
import { Refusal } from '@svc/auth-core';
import { instant } from '@svc/module';
import type { RecordingIndex } from '../storage/recording.ts';
import type { FoundPicture, RemovedRecording, StoredRecording } from '../storage/stored.ts';
import type { Recorder } from './recorder.ts';
import {
  type DeviceLogPage,
  NO_RECORDING,
  type Picture,
  type RecordingSource,
  type RecordingView,
} from './recording-source.ts';
import type { Recordings } from './recordings.ts';

/** Recording of a session that is stored on this server. */
export class OwnRecording implements RecordingSource {
  readonly #id: string;
  readonly #recordings: Recordings;
  readonly #recorder: Pick<Recorder, 'opened'>;

  constructor(id: string, recordings: Recordings, recorder: Pick<Recorder, 'opened'>) {
    this.#id = id;
    this.#recordings = recordings;
    this.#recorder = recorder;
  }

  async view(): Promise<RecordingView> {
    const found = await this.#find();
    if (found === undefined) return NO_RECORDING;
    if ('index' in found) return await viewOf(found);
    const { startedAt, endedAt } = found;
    return { ...NO_RECORDING, state: 'removed', startedAt: instant(startedAt), endedAt: instant(endedAt) };
  }

  async chunk(index: string): Promise<Readable | null> {
    const stored = await this.#stored();
    const pictures = /^\d{1,9}$/.test(index) ? stored?.chunk(Number(index)) : undefined;
    return pictures === undefined ? null : Readable.from(framed(pictures), { objectMode: false });
  }

  async picture(at: string): Promise<Picture | null> {
    return (await (await this.#stored())?.pictureAt(Date.parse(at))) ?? null;
  }

  async rows(after: number, limit: number): Promise<DeviceLogPage> {
    const stored = await this.#stored();
    if (stored === undefined) return { items: [], next: null };
    const rows = await stored.rows(after, limit + 1);
    const items = rows.slice(0, limit).map(({ seq, at, line }) => ({ seq, at: instant(at), line }));
    return { items, next: rows.length > limit ? (items.at(-1)?.seq ?? null) : null };
  }

  async remove(): Promise<void> {
    const stored = await this.#stored();
    if (stored?.isRunning) throw new Refusal('session_running', 'the session is recorded');
    if (stored !== undefined) await (await this.#recordings.store()).remove(this.#id);
  }

  async #stored(): Promise<StoredRecording | undefined> {
    const found = await this.#find();
    return found !== undefined && 'index' in found ? found : undefined;
  }

  async #find(): Promise<StoredRecording | RemovedRecording | undefined> {
    if (!this.#recordings.exist) return undefined;
    await this.#recorder.opened(this.#id);
    await this.#recordings.ended(this.#id);
    return await (await this.#recordings.store()).find(this.#id);
  }
}

async function viewOf({ index, isRunning }: StoredRecording): Promise<RecordingView> {
  const { chunkBytes, logRows, pictureBytes, pictureCount } = await import('../storage/recording.ts');
  return {
    state: isRunning ? 'recording' : 'complete',
    startedAt: instant(index.startedAt),
    endedAt: instant(index.endedAt),
    bytes: pictureBytes(index),
    pictures: pictureCount(index),
    chunks: index.chunks.flatMap((chunk) => describeChunk(chunk, chunkBytes(chunk))),
    marks: index.marks.map((mark) => ({ ...mark, at: instant(mark.at) })),
    deviceLogRows: logRows(index),
  };
}

function describeChunk({ index, pictures }: RecordingIndex['chunks'][number], bytes: number) {
  const [first] = pictures;
  const last = pictures.at(-1);
  if (first === undefined || last === undefined) return [];
  return [{ index, from: instant(first.at), to: instant(last.at), pictures: pictures.length, bytes }];
}

async function* framed(pictures: AsyncGenerator<FoundPicture>): AsyncGenerator<Buffer> {
  for await (const { at, type, bytes } of pictures) {
    yield Buffer.from(`${JSON.stringify({ at: instant(at), bytes: bytes.length, type })}\n`);
    yield bytes;
  }
}
