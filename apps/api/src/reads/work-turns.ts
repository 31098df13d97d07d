/**
 * Time after which a slice of work ends (ms). All other requests wait for a slice. This value and those of the rest are
 * choices: `bench reads` shows what they cost others, but no other values were measured.
 */
const SLICE_MS = 1;
/**
 * Rest after a slice, as a multiple of the time that the slice took, and its maximum (ms). On a busy machine a slice
 * seems to take long because it is interrupted, so without a maximum a read would take far too long.
 */
const REST = 3;
const LONGEST_REST_MS = 4;
/** Maximum length of a piece of text, in characters. */
const LARGEST_PIECE = 256 * 1024;

/**
 * Runs work on large responses in slices, one at a time for the whole server. After each slice, the server rests for
 * three times as long, so that all large reads together take about a quarter of the event loop, however many there are.
 * Slices are served in the order of their arrival.
 */
export class WorkTurns {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  /** Runs `slice` in its turn. The caller ends it after about `SLICE_MS`. */
  async run<T>(slice: () => T): Promise<T> {
    await this.#turn();
    const began = performance.now();
    try {
      return slice();
    } finally {
      setTimeout(
        () => this.#next(),
        Math.min(LONGEST_REST_MS, Math.max(1, REST * (performance.now() - began))),
      );
    }
  }

  /** Makes the next piece of a response in its turn. */
  piece(texts: Iterator<string>): Promise<Piece> {
    return this.run(() => pieceOf(texts));
  }

  /** Yields the texts of an iterable, joined to pieces, each of which is made in one turn. */
  async *pieces(texts: Iterable<string>): AsyncGenerator<string, void, undefined> {
    const iterator = texts[Symbol.iterator]();
    try {
      for (let isDone = false; !isDone; ) {
        const piece = await this.piece(iterator);
        isDone = piece.isDone;
        if (piece.text !== '') yield piece.text;
      }
    } finally {
      iterator.return?.();
    }
  }

  /** Collects the items of an iterable, in turns. */
  async all<Item>(items: Iterable<Item>): Promise<Item[]> {
    const found: Item[] = [];
    const texts = function* () {
      for (const item of items) {
        found.push(item);
        yield '';
      }
    };
    for await (const _ of this.pieces(texts()));
    return found;
  }

  #turn(): Promise<void> | undefined {
    if (this.#isTaken) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#isTaken = true;
    return undefined;
  }

  #next(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}

interface Piece {
  readonly text: string;
  /** Whether the response ends with this piece. */
  readonly isDone: boolean;
}

function pieceOf(iterator: Iterator<string>): Piece {
  const end = performance.now() + SLICE_MS;
  let text = '';
  do {
    const next = iterator.next();
    if (next.done === true) return { text, isDone: true };
    text += next.value;
  } while (performance.now() < end && text.length < LARGEST_PIECE);
  return { text, isDone: false };
}
