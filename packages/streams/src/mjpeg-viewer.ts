import type { ServerResponse } from 'node:http';
import { type FrameViewer, pictureType } from '@svc/device-lab';

const BOUNDARY = 'frame';
export const MJPEG_TYPE = `multipart/x-mixed-replace; boundary=${BOUNDARY}`;

/** Maximum time (ms) for sending the buffered data to a viewer, after which the viewer is disconnected. */
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
    // Ignore errors, because a viewer may disconnect in the middle of a frame.
    response.on('error', () => undefined);
    response.once('close', () => clearTimeout(this.#stuck));
  }

  frame(jpeg: Uint8Array): void {
    if (this.#response.destroyed) return;
    if (this.#stuck === undefined) this.#write(jpeg);
    else this.#next = jpeg;
  }

  /** Destroys the connection, because an MJPEG stream has no terminator. */
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

/** MJPEG parts by frame, so that each part is built once for all viewers. */
const parts = new WeakMap<Uint8Array, Buffer>();

/**
 * Returns the MJPEG part of a frame. The boundary follows the frame, so that a browser shows the frame immediately and
 * does not wait for the next one.
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
