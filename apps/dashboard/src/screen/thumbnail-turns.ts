/** Milliseconds between two pictures of one phone. */
const EVERY_MS = 5_000;
/** Milliseconds until the next attempt for a phone that gave no picture. */
const RETRY_MS = 30_000;
/** Minimum time (ms) between two requests for pictures, so that a page with many phones sends at most two a second. */
const TURN_MS = 500;
/**
 * Maximum number of pictures that load at the same time. A browser opens at most six connections to one server, so the
 * page needs the others for its requests.
 */
const MOST_AT_ONCE = 2;

interface Turn {
  readonly load: (signal: AbortSignal) => Promise<boolean>;
  isVisible: boolean;
  dueAt: number;
  loading: AbortController | undefined;
}

interface Surroundings {
  readonly now: () => number;
  /** Returns whether loading is paused, because the page is hidden. */
  readonly isPaused: () => boolean;
}

/**
 * Decides which thumbnail is loaded next. Each visible thumbnail is loaded every few seconds. If more thumbnails are
 * due than the limits allow, they wait, and the one that has been due for the longest time is loaded first.
 */
export class ThumbnailTurns<Key> {
  readonly #surroundings: Surroundings;
  readonly #turns = new Map<Key, Turn>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  /**
   * Adds a thumbnail, which is not visible yet. `load` never rejects. It resolves to true if it loaded a picture, and
   * to false if the phone gave none.
   */
  add(key: Key, load: Turn['load']): void {
    this.#turns.set(key, { load, isVisible: false, dueAt: 0, loading: undefined });
    this.#timer ??= setInterval(() => this.next(), TURN_MS);
  }

  setVisible(key: Key, isVisible: boolean): void {
    const turn = this.#turns.get(key);
    if (turn !== undefined) turn.isVisible = isVisible;
  }

  remove(key: Key): void {
    this.#turns.get(key)?.loading?.abort();
    this.#turns.delete(key);
    if (this.#turns.size === 0) this.#timer = void clearInterval(this.#timer);
  }

  /** Begins to load the thumbnail that has been due for the longest time, if there is one and the limits allow it. */
  next(): void {
    const { now, isPaused } = this.#surroundings;
    const turns = [...this.#turns.values()];
    const loading = turns.filter((turn) => turn.loading !== undefined).length;
    if (isPaused() || loading >= MOST_AT_ONCE) return;
    const [turn] = turns
      .filter((each) => each.isVisible && each.loading === undefined && each.dueAt <= now())
      .toSorted((a, b) => a.dueAt - b.dueAt);
    if (turn !== undefined) void this.#load(turn);
  }

  async #load(turn: Turn): Promise<void> {
    const { now } = this.#surroundings;
    turn.loading = new AbortController();
    const beganAt = now();
    const isLoaded = await turn.load(turn.loading.signal);
    turn.loading = undefined;
    turn.dueAt = isLoaded ? beganAt + EVERY_MS : now() + RETRY_MS;
  }
}
