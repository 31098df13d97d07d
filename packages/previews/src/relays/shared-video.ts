import type { Clock } from '@svc/auth-core';
import type { FrameSink, FrameSource } from '@svc/device-lab';
import type { VideoPicture } from '../formats/h264-pictures.ts';

/**
 * Source of the pictures of one encoder. The first picture after each opening must be a key picture, because a decoder
 * can start only with a key picture.
 */
export interface PictureSource {
  /**
   * Starts the encoder. `sink.ended` is called once when the encoder ends, but never after it was stopped.
   * @returns a function that stops the encoder
   */
  open(sink: PictureSink): () => void;
}

export interface PictureSink {
  picture(picture: VideoPicture): void;
  ended(reason: string): void;
}

/** Time limits of an encoder, in ms. */
export interface VideoPatience {
  /** Maximum time until the first picture. If there is none by then, the encoder counts as failed. */
  readonly firstPicture: number;
  /** Minimum time between two starts of the encoder, so that it is not restarted continuously. */
  readonly betweenStarts: number;
}

interface SharedVideoOptions {
  readonly source: PictureSource;
  readonly clock: Clock;
  readonly patience: VideoPatience;
  /**
   * Called when the last viewer has left, or when the encoder has failed. `isUnusable` is true if the encoder has
   * failed without ever producing a picture.
   */
  readonly closed: (isUnusable: boolean) => void;
}

/**
 * Limits of the pictures that are stored for new viewers, which get all of them in one burst. The limit is 30 because
 * the dashboard's player skips pictures if more than 30 wait for its decoder.
 */
const KEPT = { pictures: 30, bytes: 2 * 1024 * 1024 } as const;
const MAX_FAILURES = 3;

/**
 * Shares the video of one encoder between all its viewers. The encoder starts with the first viewer and stops with the
 * last. If it ends before that, for example at a time limit, it is started again. The video of a new viewer begins with
 * the last key picture if all pictures since then are stored. Otherwise the encoder is restarted, so that it produces a
 * key picture.
 */
export class SharedVideo implements FrameSource {
  readonly #options: SharedVideoOptions;
  /** The viewers. The value is true for a viewer that still waits for its first key picture. */
  readonly #viewers = new Map<FrameSink, boolean>();
  /** The last key picture and all pictures since then, or undefined if they exceed the limits. */
  #kept: Uint8Array[] | undefined;
  #keptBytes = 0;
  #close: (() => void) | undefined;
  /**
   * Number that changes whenever the encoder is stopped. Pictures of an earlier start are recognized by it and ignored.
   */
  #run = 0;
  #startedAt = 0;
  #hasPicture = false;
  #hadPicture = false;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SharedVideoOptions) {
    this.#options = options;
  }

  open(sink: FrameSink): () => void {
    this.#viewers.set(sink, this.#kept === undefined);
    if (this.#viewers.size === 1) this.#start();
    else if (this.#kept !== undefined) for (const bytes of this.#kept) sink.frame(bytes);
    else if (this.#hasPicture) this.#startLater();
    return () => {
      if (this.#viewers.delete(sink) && this.#viewers.size === 0) this.#stop(false);
    };
  }

  #start(): void {
    const { source, clock, patience } = this.#options;
    this.#stopRun();
    const run = this.#run;
    this.#startedAt = clock.now();
    for (const sink of this.#viewers.keys()) this.#viewers.set(sink, true);
    this.#wait(patience.firstPicture, () => this.#ended('no picture'));
    const close = source.open({
      picture: (picture) => {
        if (run === this.#run) this.#take(picture);
      },
      ended: (reason) => {
        if (run === this.#run) this.#ended(reason);
      },
    });
    if (run === this.#run) this.#close = close;
  }

  /** Starts the encoder again as soon as the minimum time since its last start has passed. */
  #startLater(): void {
    const { clock, patience } = this.#options;
    const since = clock.now() - this.#startedAt;
    this.#wait(Math.max(0, patience.betweenStarts - since), () => this.#start());
  }

  #take({ bytes, isKey }: VideoPicture): void {
    if (!this.#hasPicture && !isKey) return;
    // Stop waiting for a first picture, and cancel a pending restart: viewers that wait for a key picture can start
    // with this one.
    if (isKey) clearTimeout(this.#timer);
    this.#hasPicture = true;
    this.#hadPicture = true;
    this.#failures = 0;
    this.#keep(bytes, isKey);
    for (const [sink, waitsForKey] of [...this.#viewers]) {
      if (waitsForKey && !isKey) continue;
      this.#viewers.set(sink, false);
      sink.frame(bytes);
    }
  }

  #keep(bytes: Uint8Array, isKey: boolean): void {
    if (isKey) {
      this.#kept = [];
      this.#keptBytes = 0;
    }
    this.#keptBytes += bytes.length;
    this.#kept?.push(bytes);
    if (this.#keptBytes > KEPT.bytes || (this.#kept?.length ?? 0) > KEPT.pictures) this.#kept = undefined;
  }

  #ended(reason: string): void {
    const failed = !this.#hasPicture;
    this.#stopRun();
    if (failed) this.#failures += 1;
    if (!failed || (this.#hadPicture && this.#failures < MAX_FAILURES)) {
      this.#startLater();
      return;
    }
    const viewers = [...this.#viewers.keys()];
    this.#viewers.clear();
    this.#stop(!this.#hadPicture);
    for (const sink of viewers) sink.ended(reason);
  }

  #stop(isUnusable: boolean): void {
    this.#stopRun();
    this.#hadPicture = false;
    this.#failures = 0;
    this.#options.closed(isUnusable);
  }

  #stopRun(): void {
    clearTimeout(this.#timer);
    this.#run += 1;
    this.#close?.();
    this.#close = undefined;
    this.#hasPicture = false;
    this.#kept = undefined;
  }

  /** Starts a timer, which replaces the previous one. */
  #wait(ms: number, then: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(then, ms).unref();
  }
}
