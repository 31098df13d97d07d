import type { Clock } from '@svc/auth-core';

/** Where the frames of one device come from. */
export interface FrameSource {
  /**
   * Opens it; the returned function closes it, once. Frames are JPEG and never changed afterwards. `ended` is called
   * once, never after a close, and possibly before `open` returns.
   */
  open(sink: FrameSink): () => void;
}

export interface FrameSink {
  frame(jpeg: Uint8Array): void;
  ended(reason: string): void;
}

/** Somebody who looks. Neither method may throw. */
export interface FrameViewer {
  frame(jpeg: Uint8Array): void;
  /** No frame follows. */
  end(): void;
}

/** Viewers that are served at a stretch; others' requests come in between. */
const AT_A_STRETCH = 4;
/** The source stays open this long after the last viewer left. */
const LINGER_MS = 3_000;
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 4_000;
/** Without a frame for this long, the viewers are told that it is over. */
const GIVE_UP_MS = 20_000;

/** The frames of one device for all who look: one source, opened for the first viewer and closed behind the last. */
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
  /** Counts the times it was opened: a source that reports late is not listened to. */
  #run = 0;
  #retryMs = FIRST_RETRY_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #over = false;

  /** `closed`: nobody looks any more; the relay is not to be used again. */
  constructor(source: FrameSource, clock: Clock, closed: () => void) {
    this.#source = source;
    this.#clock = clock;
    this.#closed = closed;
  }

  get viewers(): number {
    return this.#viewers.size;
  }

  /** The latest frame is there at once. The returned function takes the viewer away. */
  add(viewer: FrameViewer): () => void {
    this.#viewers.add(viewer);
    if (this.#latest !== undefined) viewer.frame(this.#latest);
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

  /** Nothing is waited for any more: neither the end behind the last viewer nor the next attempt. */
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

  /** A frame that comes meanwhile takes the place of one that waits. */
  #serve(jpeg: Uint8Array, viewers: readonly FrameViewer[]): void {
    for (const viewer of viewers.slice(0, AT_A_STRETCH)) if (this.#viewers.has(viewer)) viewer.frame(jpeg);
    this.#serving = viewers.length > AT_A_STRETCH;
    if (this.#serving) {
      setImmediate(() => this.#serve(jpeg, viewers.slice(AT_A_STRETCH)));
      return;
    }
    const next = this.#waiting;
    this.#waiting = undefined;
    if (next !== undefined) this.#serve(next, [...this.#viewers]);
  }

  #ended(): void {
    this.#run += 1;
    this.#close = undefined;
    // What the device shows now is not known.
    this.#latest = undefined;
    if (this.#viewers.size === 0 || this.#clock.now() - this.#aliveAt >= GIVE_UP_MS) {
      this.end();
      return;
    }
    this.#wait(this.#retryMs, () => this.#open());
    this.#retryMs = Math.min(LONGEST_RETRY_MS, this.#retryMs * 2);
  }

  /** One thing is waited for at a time. */
  #wait(ms: number | undefined, then: () => void = () => undefined): void {
    clearTimeout(this.#timer);
    this.#timer = ms === undefined ? undefined : setTimeout(then, ms);
  }
}
