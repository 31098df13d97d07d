import type { LineSink, LineSource } from '@svc/device-lab';

/** A viewer of log lines. The methods must not throw. */
export interface LineViewer {
  line(text: string): void;
  /** Called after the last line, so that the viewer can close its connection. */
  end(): void;
}

export const LINE_BOUNDS = { characters: 4_096, kept: 500 } as const;

const LINGER_MS = 3_000;
const CONTROL = /[\p{Cc}\u2028\u2029]+/gu;

/** @returns the line as viewers see it: without control characters, and shortened to a maximum length */
export function shownLine(text: string): string {
  const { characters } = LINE_BOUNDS;
  const line = text.length > characters ? `${text.slice(0, characters - 3)}...` : text;
  return line.replace(CONTROL, ' ');
}

/** Sends a device's log to its viewers: the last lines, and then each new line. */
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

  /**
   * Adds a viewer and sends it the stored lines. If the source is not open yet, it is opened and first sends the lines
   * that the device logged earlier.
   * @returns a function that removes the viewer
   */
  view(viewer: LineViewer): () => void {
    for (const line of this.#kept.slice(-LINE_BOUNDS.kept)) viewer.line(line);
    return this.#add(viewer, true);
  }

  /**
   * Adds a viewer, to which no stored lines are sent.
   * @returns a function that removes the viewer
   */
  follow(viewer: LineViewer): () => void {
    return this.#add(viewer, false);
  }

  #add(viewer: LineViewer, withPast: boolean): () => void {
    this.#viewers.add(viewer);
    clearTimeout(this.#linger);
    if (this.#close === undefined) this.#open(withPast);
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

  #pass(text: string): void {
    const line = shownLine(text);
    this.#kept.push(line);
    // Remove old lines only when there are twice as many as needed. Each removal copies all remaining lines, so it must
    // be rare.
    if (this.#kept.length >= 2 * LINE_BOUNDS.kept) this.#kept = this.#kept.slice(-LINE_BOUNDS.kept);
    for (const viewer of this.#viewers) viewer.line(line);
  }

  #open(withPast: boolean): void {
    this.#run += 1;
    const run = this.#run;
    const sink: LineSink = {
      line: (text) => {
        if (run === this.#run) this.#pass(text);
      },
      ended: () => {
        if (run !== this.#run) return;
        this.#run += 1;
        this.#close = undefined;
        this.end();
      },
    };
    const close = this.#source.open(sink, withPast);
    if (run === this.#run) this.#close = close;
  }

  #closeSource(): void {
    clearTimeout(this.#linger);
    this.#run += 1;
    this.#close?.();
    this.#close = undefined;
    // Forget the stored lines. When the source is opened again, it sends its earlier lines again, so viewers would get
    // them twice.
    this.#kept = [];
  }
}
