import type { ServerResponse } from 'node:http';
import { type FrameViewer, pictureType } from '@svc/device-lab';

const BOUNDARY = 'frame';
export const MJPEG_TYPE = `multipart/x-mixed-replace; boundary=${BOUNDARY}`;

/** A viewer that takes nothing for this long is gone. */
const STUCK_MS = 30_000;

/**
 * Writes frames to one viewer. While a frame is under way only the newest other one is kept: a slow viewer loses
 * frames, not our memory.
 */
export class MjpegViewer implements FrameViewer {
  readonly #response: ServerResponse;
  #next: Uint8Array | undefined;
  #stuck: NodeJS.Timeout | undefined;

  /** The head of the response is written. */
  constructor(response: ServerResponse) {
    this.#response = response;
    response.write(`--${BOUNDARY}\r\n`);
    response.on('drain', () => this.#drained());
    // Whoever leaves within a frame is no error.
    response.on('error', () => undefined);
    response.once('close', () => clearTimeout(this.#stuck));
  }

  frame(jpeg: Uint8Array): void {
    if (this.#response.destroyed) return;
    if (this.#stuck === undefined) this.#write(jpeg);
    else this.#next = jpeg;
  }

  /** Cut: what has no end has no other. */
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

/** Made once a frame, for all its viewers. */
const parts = new WeakMap<Uint8Array, Buffer>();

/** The boundary comes behind the frame: a browser shows it then, and not only with the next one. */
function partOf(jpeg: Uint8Array): Buffer {
  let part = parts.get(jpeg);
  if (part === undefined) {
    const head = `Content-Type: ${pictureType(jpeg) ?? 'image/jpeg'}\r\nContent-Length: ${jpeg.length}\r\n\r\n`;
    part = Buffer.concat([Buffer.from(head), jpeg, Buffer.from(`\r\n--${BOUNDARY}\r\n`)]);
    parts.set(jpeg, part);
  }
  return part;
}
