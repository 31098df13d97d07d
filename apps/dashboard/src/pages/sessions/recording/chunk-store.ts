import { apiAddress } from '../../../api/addresses.ts';
import { ApiError } from '../../../api/api-error.ts';
import { type Chunk, chunkAt, type Frame, latestBefore } from './moments.ts';
import { readChunk } from './read-chunk.ts';

/**
 * Maximum number of chunks (parts of a recording) in memory. Several stay loaded, because a person moves back and forth
 * in a recording.
 */
const MOST_CHUNKS = 6;

/**
 * Loads the chunks of one recording when they are needed. A chunk is a part of the recording, with several pictures.
 */
export class ChunkStore {
  readonly #sessionId: string;
  /**
   * Loaded chunks by index and end time. The last chunk grows while the session runs. Its end time then changes, so the
   * chunk is not found under the new key and is loaded again.
   */
  readonly #loaded = new Map<string, Promise<readonly Frame[]>>();

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  /**
   * @returns the picture that the phone showed at a moment, or undefined if the recording begins later. Rejects if the
   * chunk of the picture cannot be loaded.
   */
  async frameAt(chunks: readonly Chunk[], at: number): Promise<Frame | undefined> {
    const chunk = chunkAt(chunks, at);
    if (chunk === undefined) return undefined;
    const next = chunks[chunks.indexOf(chunk) + 1];
    const frames = await this.#framesOf(chunk);
    // The next chunk is loaded in advance, so that playing does not pause.
    if (next !== undefined) this.#framesOf(next).catch(() => {});
    return latestBefore(frames, at, (frame) => frame.at) ?? frames[0];
  }

  #framesOf(chunk: Chunk): Promise<readonly Frame[]> {
    const key = `${chunk.index} ${chunk.to}`;
    const frames = this.#loaded.get(key) ?? this.#load(chunk);
    this.#loaded.delete(key);
    this.#loaded.set(key, frames);
    frames.catch(() => this.#loaded.delete(key));
    for (const oldest of this.#loaded.keys()) {
      if (this.#loaded.size <= MOST_CHUNKS) break;
      this.#loaded.delete(oldest);
    }
    return frames;
  }

  async #load({ index }: Chunk): Promise<readonly Frame[]> {
    const path = `/session/${encodeURIComponent(this.#sessionId)}/recording/chunks/${index}`;
    const answer = await fetch(apiAddress(path), { credentials: 'same-origin', cache: 'no-store' });
    if (!answer.ok) {
      const requestId = answer.headers.get('x-request-id');
      throw new ApiError({ status: answer.status, code: 'not_found', requestId });
    }
    return readChunk(new Uint8Array(await answer.arrayBuffer()));
  }
}
