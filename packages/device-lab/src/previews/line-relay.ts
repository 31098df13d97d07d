/** Where the log lines of one device come from. */
export interface LineSource {
  /** As `FrameSource.open`. */
  open(sink: LineSink): () => void;
}

export interface LineSink {
  line(text: string): void;
  ended(reason: string): void;
}

/** Somebody who reads along. Neither method may throw. */
export interface LineViewer {
  line(text: string): void;
  /** No line follows. */
  end(): void;
}

export const LINE_BOUNDS = { characters: 4_096, kept: 500 } as const;

const LINGER_MS = 3_000;
const CONTROL = /[\p{Cc}\u2028\u2029]+/gu;

/** One line as it is shown: without control characters, and bounded. */
export function shownLine(text: string): string {
  const { characters } = LINE_BOUNDS;
  const line = text.length > characters ? `${text.slice(0, characters - 3)}...` : text;
  return line.replace(CONTROL, ' ');
}

/** The last lines of a device's log, and those that follow, for all who read along. */
export class LineRelay {
  readonly #source: LineSource;
  readonly #viewers = new Set<LineViewer>();
  #kept: string[] = [];
  #close: (() => void) | undefined;
  #linger: ReturnType<typeof setTimeout> | undefined;
  #run = 0;

  constructor(source: LineSource) {
    this.#source = source;
  }

  get viewers(): number {
    return this.#viewers.size;
  }

  /** The lines that are kept come first, those of the source's own past included. The returned function takes the viewer away. */
  view(viewer: LineViewer): () => void {
    for (const line of this.#kept.slice(-LINE_BOUNDS.kept)) viewer.line(line);
    this.#viewers.add(viewer);
    clearTimeout(this.#linger);
    if (this.#close === undefined) this.#open();
    return () => {
      if (!this.#viewers.delete(viewer) || this.#viewers.size > 0) return;
      this.#linger = setTimeout(() => this.#closeSource(), LINGER_MS);
    };
  }

  /** Ends every viewer and closes the source. */
  end(): void {
    this.#closeSource();
    const viewers = [...this.#viewers];
    this.#viewers.clear();
    for (const viewer of viewers) viewer.end();
  }

  #add(text: string): void {
    const line = shownLine(text);
    this.#kept.push(line);
    // Twice as many before they are cut, so that not every line moves all others.
    if (this.#kept.length >= 2 * LINE_BOUNDS.kept) this.#kept = this.#kept.slice(-LINE_BOUNDS.kept);
    for (const viewer of this.#viewers) viewer.line(line);
  }

  #open(): void {
    this.#run += 1;
    const run = this.#run;
    const close = this.#source.open({
      line: (text) => {
        if (run === this.#run) this.#add(text);
      },
      ended: () => {
        if (run !== this.#run) return;
        this.#run += 1;
        this.#close = undefined;
        this.end();
      },
    });
    if (run === this.#run) this.#close = close;
  }

  #closeSource(): void {
    clearTimeout(this.#linger);
    this.#run += 1;
    this.#close?.();
    this.#close = undefined;
    // The source tells its past again when it is opened again.
    this.#kept = [];
  }
}
