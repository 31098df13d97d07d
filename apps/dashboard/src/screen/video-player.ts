import { AccessUnits } from './access-units.ts';

/**
 * Maximum number of pictures that wait for the decoder. Above it, pictures are skipped up to the next key picture, so
 * that the screen does not fall behind.
 */
const MAX_WAITING = 30;

/**
 * Returns whether this page can decode H.264. The browser needs the `VideoDecoder` API, which most offer only on https
 * and localhost.
 */
export function canPlayVideo(): boolean {
  return 'VideoDecoder' in globalThis;
}

interface Listener {
  /** Called after each picture that was drawn. */
  readonly drawn: () => void;
  /** Called when the decoder cannot be used or has failed. */
  readonly failed: () => void;
}

/** Draws the pictures of an H.264 stream on a canvas, each as soon as it is decoded. */
export class VideoPlayer {
  readonly #canvas: HTMLCanvasElement;
  readonly #listener: Listener;
  readonly #units = new AccessUnits();
  #decoder: VideoDecoder | undefined;
  #codec = '';
  #waitsForKey = true;

  constructor(canvas: HTMLCanvasElement, listener: Listener) {
    this.#canvas = canvas;
    this.#listener = listener;
  }

  /** Decodes and draws the pictures in one message of the stream. */
  take(message: Uint8Array): void {
    for (const { bytes, isKey, codec } of this.#units.take(message)) {
      if (isKey && codec !== this.#codec) this.#begin(codec);
      const decoder = this.#decoder;
      if (decoder === undefined || decoder.state !== 'configured') continue;
      if (decoder.decodeQueueSize > MAX_WAITING) this.#waitsForKey = true;
      if (this.#waitsForKey && (!isKey || decoder.decodeQueueSize > MAX_WAITING)) continue;
      this.#waitsForKey = false;
      const timestamp = Math.round(performance.now() * 1_000);
      decoder.decode(new EncodedVideoChunk({ type: isKey ? 'key' : 'delta', timestamp, data: bytes }));
    }
  }

  close(): void {
    if (this.#decoder?.state !== 'closed') this.#decoder?.close();
    this.#decoder = undefined;
  }

  #begin(codec: string): void {
    this.close();
    this.#codec = codec;
    this.#waitsForKey = true;
    this.#decoder = new VideoDecoder({
      output: (frame) => this.#draw(frame),
      error: () => this.#listener.failed(),
    });
    try {
      this.#decoder.configure({ codec, optimizeForLatency: true });
    } catch {
      // `configure` throws if the stream's parameters do not name a valid codec. Such a stream cannot be played.
      this.#listener.failed();
    }
  }

  #draw(frame: VideoFrame): void {
    const { displayWidth: width, displayHeight: height } = frame;
    if (this.#canvas.width !== width) this.#canvas.width = width;
    if (this.#canvas.height !== height) this.#canvas.height = height;
    this.#canvas.getContext('2d')?.drawImage(frame, 0, 0, width, height);
    frame.close();
    this.#listener.drawn();
  }
}
