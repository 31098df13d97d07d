import type { Frame } from './moments.ts';

const LINE_FEED = 0x0a;

/**
 * Reads the pictures of a chunk. Before each picture, the chunk has a line of JSON with the picture's time, length and
 * type (contract 11).
 */
export function readChunk(bytes: Uint8Array<ArrayBuffer>): Frame[] {
  const frames: Frame[] = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(LINE_FEED, from);
    if (end < 0) break;
    const head = JSON.parse(new TextDecoder().decode(bytes.subarray(from, end)));
    from = end + 1 + head.bytes;
    if (from > bytes.length) break;
    const image = new Blob([bytes.subarray(end + 1, from)], { type: head.type });
    frames.push({ at: Date.parse(head.at), image });
  }
  return frames;
}
