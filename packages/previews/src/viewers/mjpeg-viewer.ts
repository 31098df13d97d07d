import type { ServerResponse } from 'node:http';
import { pictureType } from '@svc/contract';
import type { FrameViewer } from '../relays/frame-relay.ts';

const BOUNDARY = 'frame';
export const MJPEG_TYPE = `multipart/x-mixed-replace; boundary=${BOUNDARY}`;

/** Time (ms) within which the viewer must have received the buffered data. Otherwise it is disconnected. */
const STUCK_MS = 30_000;

/**
 * Writes frames to one viewer. While a frame is being sent, only the newest of the following frames is stored, so that
 * a slow viewer misses frames instead of filling the memory.
 */
export class MjpegViewer implements FrameViewer {
  readonly #response: ServerResponse;
  #next: Uint8Array | undefined;
  #stuck: NodeJS.Timeout | undefined;

  /** Writes the first boundary of the MJPEG stream to the response. */
  constructor(response: ServerResponse) {
    this.#response = response;
    response.write(`--${BOUNDARY}\r\n`);
    response.on('drain', () => this.#drained());
    // A viewer can disconnect in the middle of a frame. Without a listener, this error would end the process.
    response.on('error', () => undefined);
    response.once('close', () => clearTimeout(this.#stuck));
  }

  frame(jpeg: Uint8Array): void {
    if (this.#response.destroyed) return;
    if (this.#stuck === undefined) this.#write(jpeg);
    else this.#next = jpeg;
  }

  /** Ends the stream by destroying the connection. Frames that are not sent yet are lost. */
  end(): void {
    this.#next = undefined;
    this.#response.destroy();
  }

  #write(jpeg: Uint8Array): void {
    if (this.#response.write(partOf(jpeg))) return;
    this.#stuck = setTimeout(() => this.end(), STUCK_MS).unref();
  }

  #drained(): void {
    clearTimeout(this.#stuck);
    this.#stuck = undefined;
    const next = this.#next;
    this.#next = undefined;
    if (next !== undefined) this.#write(next);
  }
}

/** MJPEG part of each frame, so that a frame for several viewers is converted only once. */
const parts = new WeakMap<Uint8Array, Buffer>();

/**
 * Returns the MJPEG part of a frame, followed by the boundary of the next part. A browser shows a frame when it
 * receives the boundary, so it does not have to wait for the next frame.
 */
function partOf(jpeg: Uint8Array): Buffer {
  let part = parts.get(jpeg);
  if (part === undefined) {
    const head = `Content-Type: ${pictureType(jpeg) ?? 'image/jpeg'}\r\nContent-Length: ${jpeg.length}\r\n\r\n`;
    part = Buffer.concat([Buffer.from(head), jpeg, Buffer.from(`\r\n--${BOUNDARY}\r\n`)]);
    parts.set(jpeg, part);
  }
  return part;
}
