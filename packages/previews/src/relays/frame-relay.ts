import type { Clock } from '@svc/auth-core';
import type { FrameSource } from '@svc/device-lab';

/** A viewer of preview frames. The methods must not throw. */
export interface FrameViewer {
  frame(jpeg: Uint8Array): void;
  /** Called after the last frame, so that the viewer can close its connection. */
  end(): void;
}

/**
 * Maximum number of viewers to which a frame is sent in one turn of the event loop, so that other requests are handled
 * in between.
 */
const VIEWERS_AT_ONCE = 4;
/** Time (ms) for which the source stays open after the last viewer has left, because a viewer may return. */
const LINGER_MS = 3_000;
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 4_000;
/**
 * If the source ends and has sent no frame for this time (ms), all viewers are ended. Otherwise the source is opened
 * again.
 */
const GIVE_UP_MS = 20_000;

/**
 * Sends the frames of one source to all viewers of a device. The source is open only while there are viewers, and
 * shortly afterwards.
 */
export class FrameRelay {
  readonly #source: FrameSource;
  readonly #clock: Clock;
  readonly #closed: () => void;
  readonly #viewers = new Set<FrameViewer>();
  #latest: Uint8Array | undefined;
  #serving = false;
  #waiting: Uint8Array | undefined;
  #aliveAt = 0;
  #close: (() => void) | undefined;
  /**
   * Number that changes whenever the source is opened or closed. Frames of an earlier opening are recognized by it and
   * ignored.
   */
  #run = 0;
  #retryMs = FIRST_RETRY_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #over = false;

  /**
   * @param closed called when the relay ends, for example some time after the last viewer has left. The relay must not
   * be used afterwards.
   */
  constructor(source: FrameSource, clock: Clock, closed: () => void) {
    this.#source = source;
    this.#clock = clock;
    this.#closed = closed;
  }

  get viewers(): number {
    return this.#viewers.size;
  }

  get isSampled(): boolean {
    return this.#source.isSampled ?? false;
  }

  /**
   * Adds a viewer. If a frame has already arrived, sends it to the viewer immediately.
   * @returns a function that removes the viewer
   */
  add(viewer: FrameViewer): () => void {
    if (this.#latest !== undefined) viewer.frame(this.#latest);
    return this.follow(viewer);
  }

  /**
   * Adds a viewer that gets only frames that arrive from now on.
   * @returns a function that removes the viewer
   */
  follow(viewer: FrameViewer): () => void {
    this.#viewers.add(viewer);
    if (this.#viewers.size === 1) this.#first();
    return () => {
      if (this.#viewers.delete(viewer) && this.#viewers.size === 0) this.#wait(LINGER_MS, () => this.end());
    };
  }

  /** Ends every viewer and closes the source. */
  end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#wait(undefined);
    this.#run += 1;
    this.#close?.();
    this.#close = undefined;
    const viewers = [...this.#viewers];
    this.#viewers.clear();
    this.#closed();
    for (const viewer of viewers) viewer.end();
  }

  /** Opens the source for the first viewer, unless it is still open, and cancels a pending close or retry. */
  #first(): void {
    this.#wait(undefined);
    if (this.#close !== undefined) return;
    this.#aliveAt = this.#clock.now();
    this.#open();
  }

  #open(): void {
    this.#run += 1;
    const run = this.#run;
    const close = this.#source.open({
      frame: (jpeg) => {
        if (run === this.#run) this.#frame(jpeg);
      },
      ended: () => {
        if (run === this.#run) this.#ended();
      },
    });
    if (run === this.#run) this.#close = close;
  }

  #frame(jpeg: Uint8Array): void {
    this.#latest = jpeg;
    this.#aliveAt = this.#clock.now();
    this.#retryMs = FIRST_RETRY_MS;
    if (this.#serving) this.#waiting = jpeg;
    else this.#serve(jpeg, [...this.#viewers]);
  }

  /**
   * Sends a frame to a few viewers in each turn of the event loop. Frames that arrive in the meantime are skipped,
   * except for the last, which is sent next.
   */
  #serve(jpeg: Uint8Array, viewers: readonly FrameViewer[]): void {
    for (const viewer of viewers.slice(0, VIEWERS_AT_ONCE)) if (this.#viewers.has(viewer)) viewer.frame(jpeg);
    this.#serving = viewers.length > VIEWERS_AT_ONCE;
    if (this.#serving) {
      setImmediate(() => this.#serve(jpeg, viewers.slice(VIEWERS_AT_ONCE)));
      return;
    }
    const next = this.#waiting;
    this.#waiting = undefined;
    if (next !== undefined) this.#serve(next, [...this.#viewers]);
  }

  #ended(): void {
    this.#run += 1;
    this.#close = undefined;
    // Forget the latest frame. Otherwise a viewer that joins later would be sent an old picture.
    this.#latest = undefined;
    if (this.#viewers.size === 0 || this.#clock.now() - this.#aliveAt >= GIVE_UP_MS) {
      this.end();
      return;
    }
    this.#wait(this.#retryMs, () => this.#open());
    this.#retryMs = Math.min(LONGEST_RETRY_MS, this.#retryMs * 2);
  }

  /** Replaces the pending timer, or only cancels it if `ms` is undefined. */
  #wait(ms: number | undefined, then: () => void = () => undefined): void {
    clearTimeout(this.#timer);
    this.#timer = ms === undefined ? undefined : setTimeout(then, ms);
  }
}
